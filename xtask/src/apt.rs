//! Packages of Debian or Ubuntu.

use crate::shell::{has_program, run};
use anyhow::Result;

pub fn install(packages: &[&str]) -> Result<()> {
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
}

/// Sees to it that apt knows packages: guests' kernels and roots of programs come from it.
pub fn know_packages() -> Result<()> {
    let lists = std::fs::read_dir("/var/lib/apt/lists").into_iter().flatten().flatten();
    let is_list = |name: &str| name.contains("_Packages");
    let known = lists.map(|entry| entry.file_name()).any(|name| is_list(&name.to_string_lossy()));
    if known || !has_program("apt-get") { Ok(()) } else { apt(&["update"]) }
}

/// `apt-get`, as root or through sudo.
fn apt(args: &[&str]) -> Result<()> {
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    if has_program("sudo") && std::env::var("USER").is_ok_and(|user| user != "root") {
        return run("sudo", &[&["apt-get", "--quiet"], args].concat(), &quiet);
    }
    run("apt-get", &[&["--quiet"], args].concat(), &quiet)
}
