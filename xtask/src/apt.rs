//! Packages of Debian or Ubuntu.

use crate::shell::{has_program, run};
use anyhow::Result;

/// Installs packages of Debian or Ubuntu.
pub fn install(packages: &[&str]) -> Result<()> {
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
}

/// `apt-get`, as root or through sudo.
fn apt(args: &[&str]) -> Result<()> {
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    if has_program("sudo") && std::env::var("USER").is_ok_and(|user| user != "root") {
        return run("sudo", &[&["apt-get", "--quiet"], args].concat(), &quiet);
    }
    run("apt-get", &[&["--quiet"], args].concat(), &quiet)
}
