//! The README's first command: from a clean clone to a scoreboard.

use crate::{go::GVISOR, packages, shell::cargo};
use anyhow::Result;

/// The layers that it weighs, gVisor as its users have it today where it can be built, else the distribution's.
pub fn layers() -> Vec<String> {
    let (others, gvisor) = match GVISOR.build() {
        Ok(()) => {
            let file = GVISOR.program();
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

/// Time of the first campaign: enough for verdicts on most rows. `tare resume` adds more.
const FIRST: &str = "90s";

/// Installs the layers, builds tare and weighs them; `args` go to `tare run`.
pub fn weigh(args: &[String]) -> Result<()> {
    packages::install()?;
    let has = |flag: &str| args.iter().any(|arg| arg.starts_with(flag));
    let is_first = !(has("--budget") || has("--blocks"));
    // Go and Rust compile beside each other. What became of gVisor is said below, where its layer is asked for.
    std::thread::scope(|scope| {
        if !has("--layer") {
            scope.spawn(|| GVISOR.build());
        }
        cargo(&["build", "--release", "--package", "tare"], &[])
    })?;
    let mut words =
        ["run", "--release", "--package", "tare", "--", "run"].map(str::to_owned).to_vec();
    if !args.iter().any(|arg| arg.starts_with("--layer")) {
        words.extend(layers());
        words.push("--require".into());
    }
    if is_first {
        words.extend(["--budget".to_owned(), FIRST.to_owned()]);
    }
    words.extend_from_slice(args);
    cargo(&words, &[])?;
    if is_first {
        eprintln!(
            "A first look of {FIRST}. 'target/release/tare resume --budget 5m' goes on with it, 'target/release/tare open' shows its page."
        );
    }
    Ok(())
}
