//! The release, by the crate `tare-dist`: what it depends on is no burden to the other chores.

use crate::packages;
use crate::shell::cargo;
use anyhow::Result;
use std::env;

/// Makes the release; `args` are those of `tare-dist`. It carries the probes for all architectures, and what builds them is installed first;
/// `TARE_WHOLE=0` does without those that this machine cannot build.
pub fn dist(args: &[String]) -> Result<()> {
    let is_built = !args.iter().any(|word| word == "--binary");
    if is_built && env::var("TARE_WHOLE").as_deref() != Ok("0") {
        packages::install_for_release()?;
    }
    let own = args.iter().map(String::as_str);
    let words: Vec<&str> =
        ["run", "--quiet", "--package", "tare-dist", "--"].into_iter().chain(own).collect();
    cargo(&words, &[])
}
