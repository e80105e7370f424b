//! The README's first command: from a clean clone to a scoreboard.

use crate::{gvisor, packages, shell::cargo};
use anyhow::Result;

/// The layers that it weighs, gVisor as its users have it today where it can be built, else the distribution's.
pub fn layers() -> Vec<String> {
    let (others, gvisor) = match gvisor::build() {
        Ok(()) => {
            let file = gvisor::runsc();
            (
                "native,runc,uml,qemu",
                Some(format!("name=gvisor,kind=runsc,runtime={}", file.display())),
            )
        }
        Err(why) => {
            eprintln!("{why:#}: the distribution's gVisor is weighed");
            ("native,runc,runsc,uml,qemu", None)
        }
    };
    let mut words = vec!["--layers".to_owned(), others.to_owned()];
    words.extend(gvisor.into_iter().flat_map(|layer| ["--layer".to_owned(), layer]));
    words
}

/// Installs the layers, builds tare and weighs them; `args` go to `tare run`.
pub fn weigh(args: &[String]) -> Result<()> {
    packages::install()?;
    let mut words =
        ["run", "--release", "--package", "tare", "--", "run"].map(str::to_owned).to_vec();
    if !args.iter().any(|arg| arg.starts_with("--layer")) {
        words.extend(layers());
        words.push("--require".into());
    }
    words.extend_from_slice(args);
    cargo(&words, &[])
}
