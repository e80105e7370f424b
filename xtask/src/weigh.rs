//! The README's first command: from a clean clone to a scoreboard.

use crate::{packages, shell::cargo};
use anyhow::Result;

/// The layers that it weighs.
pub const LAYERS: &str = "native,runc,runsc,uml,qemu";

/// Installs the layers, builds tare and weighs them; `args` go to `tare run`.
pub fn weigh(args: &[String]) -> Result<()> {
    packages::install()?;
    let mut words = vec!["run", "--release", "--package", "tare", "--", "run"];
    if !args.iter().any(|arg| arg.starts_with("--layer")) {
        words.extend(["--layers", LAYERS, "--require"]);
    }
    words.extend(args.iter().map(String::as_str));
    cargo(&words, &[])
}
