//! The probe and the layers compile for the other architecture. No C compiler is needed for that, and half a minute.

use crate::shell::{cargo_beside, has_program, run};
use anyhow::Result;

/// The other architecture.
const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Checks them, where Rust's library for that architecture can be had.
pub fn elsewhere() -> Result<()> {
    if !has_program("rustup") || run("rustup", &["target", "add", TARGET], &[]).is_err() {
        eprintln!("Rust's library for {TARGET} cannot be had: the check for it is left out");
        return Ok(());
    }
    let packages = ["--package", "tare-probe", "--package", "tare-layers"];
    cargo_beside(&[&["check", "--quiet", "--target", TARGET], &packages[..]].concat(), &[])
}
