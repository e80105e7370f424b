//! A current gVisor, built from its published Go module: Debian's is of 2022 and intercepts system calls by ptrace, which is not
//! what gVisor's users have had since 2023.

use crate::shell::{has_program, root, run};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The module that is built, with its version.
const PROGRAM: &str = "gvisor.dev/gvisor/runsc";
const VERSION: &str = "v0.0.0-20260905035102-160fafc42237";

pub fn runsc() -> PathBuf {
    let root = root().canonicalize().unwrap_or_else(|_| root().to_owned());
    root.join("target/gvisor/runsc")
}

/// Builds it unless it is there already. Takes three minutes on two cores; Go keeps what it has built.
pub fn build() -> Result<()> {
    if !has_program("go") {
        bail!(
            "a current gVisor is built by Go, and there is none: install it from https://go.dev/doc/install \
             (Debian's is too old)"
        );
    }
    let file = runsc();
    if is_this_version(&file) {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(root()).to_string_lossy().into_owned();
    let env = [("CGO_ENABLED", "0"), ("GOBIN", folder.as_str())];
    run("go", &["install", &format!("{PROGRAM}@{VERSION}")], &env)
}

/// Whether Go says that `file` was built from the version above.
fn is_this_version(file: &Path) -> bool {
    let said = Command::new("go").args(["version", "-m"]).arg(file).output();
    said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(VERSION))
}
