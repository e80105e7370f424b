//! Programs that Go builds from their published modules: a current gVisor, since Debian's is of 2022 and intercepts system calls by
//! ptrace, which is not what gVisor's users have had since 2023; and the versions that public complaints are about.

use crate::shell::{has_program, root, run};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// A program, and where it comes from.
pub struct Built {
    /// Its folder in `target`.
    folder: &'static str,
    /// What Go installs.
    package: &'static str,
    version: &'static str,
    /// Whether it contains C.
    cgo: bool,
}

/// A current gVisor.
pub const GVISOR: Built = Built {
    folder: "gvisor",
    package: "gvisor.dev/gvisor/runsc",
    version: "v0.0.0-20260905035102-160fafc42237",
    cgo: false,
};

/// What docs/complaints compares: the last gVisor to be had before its monitor slept (gvisor#13470), and runc before and after it
/// stopped copying itself (runc#4448).
pub const OF_COMPLAINTS: [Built; 3] = [
    Built { folder: "gvisor-2026-05", version: "v0.0.0-20260518063529-209a0ce076a1", ..GVISOR },
    runc("runc-1.2.0-rc.3", "v1.2.0-rc.3"),
    runc("runc-1.2.0", "v1.2.0"),
];

const fn runc(folder: &'static str, version: &'static str) -> Built {
    Built { folder, package: "github.com/opencontainers/runc", version, cgo: true }
}

impl Built {
    /// Where the program is.
    pub fn program(&self) -> PathBuf {
        let root = root().canonicalize().unwrap_or_else(|_| root().to_owned());
        let name = self.package.rsplit('/').next().unwrap_or(self.package);
        root.join("target").join(self.folder).join(name)
    }

    /// Builds it unless it is there already. gVisor takes one to three minutes on two cores; Go keeps what it has built.
    pub fn build(&self) -> Result<()> {
        if !self.can_be_built() {
            bail!(
                "{} is built by Go, and there is none: install it from https://go.dev/doc/install (Debian's is too old)",
                self.package
            );
        }
        if self.is_there() {
            return Ok(());
        }
        let program = self.program();
        let folder = program.parent().unwrap_or(root()).to_string_lossy();
        let cgo = if self.cgo { "1" } else { "0" };
        let env = [("CGO_ENABLED", cgo), ("GOBIN", &*folder)];
        run("go", &["install", &format!("{}@{}", self.package, self.version)], &env)
    }

    /// Whether there is a Go.
    pub fn can_be_built(&self) -> bool {
        has_program("go")
    }

    /// Whether Go says that the program was built from this version.
    pub fn is_there(&self) -> bool {
        let said = Command::new("go").args(["version", "-m"]).arg(self.program()).output();
        said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(self.version))
    }
}
