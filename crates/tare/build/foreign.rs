//! The targets of the probes for simulated machines of other architectures, and whether they can be built here.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// A target that is not this machine's.
pub struct Foreign {
    pub target: &'static str,
    /// What links for it; none where Rust brings all that it takes, as with musl.
    pub linker: Option<&'static str>,
}

pub const X86_32: Foreign = Foreign { target: "i686-unknown-linux-musl", linker: None };
pub const ARM_64: Foreign =
    Foreign { target: "aarch64-unknown-linux-gnu", linker: Some("aarch64-linux-gnu-gcc") };

pub const POWER_64: Foreign =
    Foreign { target: "powerpc64le-unknown-linux-gnu", linker: Some("powerpc64le-linux-gnu-gcc") };

pub const FOREIGN: &[Foreign] = &[X86_32, ARM_64, POWER_64];

impl Foreign {
    /// Whether Rust's library for it is installed, and its linker with a static C library. The build begins anew when the
    /// former changes.
    pub fn can_be_built(&self) -> bool {
        let Some(folder) = self.folder() else { return false };
        // rustup's list of what it has installed, beside the folders of the targets.
        if let Some(list) = folder.ancestors().nth(2).map(|above| above.join("components"))
            && list.is_file()
        {
            println!("cargo::rerun-if-changed={}", list.display());
        }
        folder.is_dir() && self.linker.is_none_or(has_c_library)
    }

    /// What has to be installed where it cannot be built.
    pub fn remedy(&self) -> String {
        let library = format!("rustup target add {}", self.target);
        match self.linker {
            Some(linker) => format!("{library}, and {linker} with its static C library"),
            None => library,
        }
    }

    fn folder(&self) -> Option<PathBuf> {
        let mut ask = Command::new(env::var_os("RUSTC")?);
        let said = ask.args(["--print", "target-libdir", "--target", self.target]).output().ok()?;
        let text = String::from_utf8(said.stdout).ok()?;
        said.status.success().then(|| PathBuf::from(text.trim()))
    }
}

/// Whether `linker` is there and finds a static C library: it answers with a path, not with the bare name.
fn has_c_library(linker: &str) -> bool {
    let said = Command::new(linker).arg("-print-file-name=libc.a").output();
    said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains('/'))
}
