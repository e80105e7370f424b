//! The README's first command: from a clean clone to a scoreboard.

use crate::{go::GVISOR, packages, shell::cargo};
use anyhow::Result;

/// No probes for simulated machines of other architectures: they take minutes to compile.
const NATIVE_ONLY: [(&str, &str); 3] = [
    ("TARE_PROBE32", "/dev/null"),
    ("TARE_PROBE_ARM", "/dev/null"),
    ("TARE_PROBE_POWER", "/dev/null"),
];

/// What is weighed beside gVisor.
const OTHERS: &str = "native,runc,uml,qemu";

/// The layers that it weighs, gVisor as its users have it today where it can be built, else the distribution's.
pub fn layers() -> Vec<String> {
    let (others, gvisor) = match GVISOR.build() {
        Ok(()) => {
            let file = GVISOR.program();
            (OTHERS, Some(format!("name=gvisor,kind=runsc,runtime={}", file.display())))
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

/// Time of the first campaign, which has less if gVisor is still to come: enough for verdicts on most rows. `tare resume` adds more.
const FIRST: &str = "90s";
const BEFORE_GVISOR: &str = "60s";

/// Installs the layers, builds tare and weighs them; `args` go to `tare run`. gVisor takes minutes more to build: unless it is there, the
/// others are weighed before.
pub fn weigh(args: &[String]) -> Result<()> {
    packages::install()?;
    cargo(&["build", "--profile", "first", "--package", "tare"], &NATIVE_ONLY)?;
    let has = |flag: &str| args.iter().any(|arg| arg.starts_with(flag));
    let of = |time: &str| ["--budget".to_owned(), time.to_owned()];
    let is_first = !(has("--budget") || has("--blocks"));
    if args.is_empty() && GVISOR.can_be_built() && !GVISOR.is_there() {
        run(&[&["--layers", OTHERS, "--require"].map(str::to_owned)[..], &of(BEFORE_GVISOR)]
            .concat())?;
        eprintln!(
            "\n\
            This is the first answer, without gVisor.\n\
            'target/first/tare open' shows its page.\n\
            A current gVisor is built now, which takes one to three minutes on two CPUs.\n\
            Then it is weighed with the others. Ctrl-C ends here, and nothing is lost.\n"
        );
    }
    let mut words = Vec::new();
    if !has("--layer") {
        words.extend(layers());
        words.push("--require".into());
    }
    if is_first {
        words.extend(of(FIRST));
    }
    words.extend_from_slice(args);
    run(&words)?;
    if is_first {
        eprintln!(
            "A first look of {FIRST}. 'target/first/tare resume --budget 5m' goes on with it.\n\
            'target/first/tare open' shows its page."
        );
    }
    Ok(())
}

fn run(words: &[String]) -> Result<()> {
    let run = ["run", "--profile", "first", "--package", "tare", "--", "run"].map(str::to_owned);
    cargo(&[&run[..], words].concat(), &NATIVE_ONLY)
}
