//! Installs the layers: Debian's and Ubuntu's packages, or says what to install elsewhere.

use crate::shell::{has_program, run};
use anyhow::{Result, bail};

/// A program that a layer needs, and the package that brings it.
const NEEDED: &[(&str, &str)] = &[
    ("runc", "runc"),
    ("crun", "crun"),
    ("runsc", "runsc"),
    ("linux.uml", "user-mode-linux"),
    ("qemu-system-x86_64", "qemu-system-x86"),
];

/// What only tests need: a browser for the page, and its driver.
const TESTING: &[(&str, &str)] = &[("chromium", "chromium"), ("chromedriver", "chromium-driver")];

/// Installs what layers lack. Guest kernels need no package: tare extracts one into its cache.
pub fn install() -> Result<()> {
    install_all(NEEDED.iter())
}

/// Installs what layers and tests lack.
pub fn install_for_tests() -> Result<()> {
    install_all(NEEDED.iter().chain(TESTING))
}

fn install_all<'a>(needed: impl Iterator<Item = &'a (&'a str, &'a str)>) -> Result<()> {
    let missing: Vec<_> = needed.filter(|(program, _)| !has_program(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
    if !has_program("apt-get") {
        let programs: Vec<&str> = missing.iter().map(|(program, _)| *program).collect();
        bail!(
            "this is not Debian or Ubuntu: install {} with your own package manager, then run this \
             again (or weigh what you have: cargo run --release -- run)",
            programs.join(", ")
        );
    }
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], packages.as_slice()].concat())
}

/// `apt-get`, as root or through sudo.
fn apt(args: &[&str]) -> Result<()> {
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    if has_program("sudo") && std::env::var("USER").is_ok_and(|user| user != "root") {
        return run("sudo", &[&["apt-get", "--quiet"], args].concat(), &quiet);
    }
    run("apt-get", &[&["--quiet"], args].concat(), &quiet)
}
