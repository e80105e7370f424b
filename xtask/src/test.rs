//! The README's second command, and CI's: everything that must hold.

use crate::shell::cargo;
use crate::{elsewhere, packages, tidy};
use anyhow::Result;

/// Installs what tests need and runs all checks and tests. A missing layer fails, it is not skipped.
pub fn test(args: &[String]) -> Result<()> {
    packages::install_for_tests()?;
    tidy::tidy()?;
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])?;
    cargo(&["doc", "--workspace", "--no-deps", "--quiet"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    elsewhere::elsewhere()?;
    let mut words = vec!["test", "--workspace", "--no-fail-fast"];
    words.extend(args.iter().map(String::as_str));
    cargo(&words, &[])?;
    // What is behind a feature, with the tests that need it.
    let feature = ["--package", "tare", "--features", "parquet"];
    let lints = ["--all-targets", "--quiet", "--", "-D", "warnings"];
    cargo(&[&["clippy"], &feature[..], &lints].concat(), &[])?;
    cargo(&[&["test"], &feature[..], &["--test", "export"]].concat(), &[])
}
