//! The release, by the crate `tare-dist`: what it depends on is no burden to the other chores.

use crate::shell::cargo;
use anyhow::Result;

/// Makes the release; `args` are those of `tare-dist`.
pub fn dist(args: &[String]) -> Result<()> {
    let own = args.iter().map(String::as_str);
    let words: Vec<&str> =
        ["run", "--quiet", "--package", "tare-dist", "--"].into_iter().chain(own).collect();
    cargo(&words, &[])
}
