//! All but the monitor and the plugin, which are x86's, compiles for the other architecture; without a C compiler for that, the
//! probe and the layers do.

use crate::shell::{cargo_beside, has_program, run};
use anyhow::Result;

/// The other architecture.
const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Its C compiler, which SQLite is built with.
const COMPILER: &str = "aarch64-linux-gnu-gcc";

/// Checks that, where Rust's library for that architecture can be had.
pub fn elsewhere() -> Result<()> {
    if !has_program("rustup") || run("rustup", &["target", "add", TARGET], &[]).is_err() {
        eprintln!("Rust's library for {TARGET} cannot be had: the check for it is left out");
        return Ok(());
    }
    let packages: &[&str] = match has_program(COMPILER) {
        true => &["--workspace", "--exclude", "tare-vmm", "--exclude", "tare-plugin"],
        false => &["--package", "tare-probe", "--package", "tare-layers"],
    };
    // The probe is one of them: the optimised one that tare carries would show nothing more.
    let carried = [("TARE_PROBE", "/dev/null")];
    cargo_beside(&[&["check", "--quiet", "--target", TARGET], packages].concat(), &carried)
}
