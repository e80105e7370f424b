//! The programs that tare contains, written into the cache under their hash so that every layer can use them.

use crate::files;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tare_layers::is_own_file;

/// A program that was built with tare itself.
pub struct Carried {
    /// What its file is called, before its hash.
    name: &'static str,
    bytes: &'static [u8],
}

pub static PROBE: Carried =
    Carried { name: "tare-probe", bytes: include_bytes!(env!("TARE_PROBE_FILE")) };

/// The probe for 32-bit x86; absent where Rust's library for it was not installed.
pub static PROBE32: Carried =
    Carried { name: "tare-probe32", bytes: include_bytes!(env!("TARE_PROBE32_FILE")) };

/// The probe for 64-bit ARM; absent where Rust's library for it, or a linker, was not installed.
pub static PROBE_ARM: Carried =
    Carried { name: "tare-probe-arm", bytes: include_bytes!(env!("TARE_PROBE_ARM_FILE")) };

/// The probe for 64-bit POWER; absent where Rust's library for it, or a linker, was not installed.
pub static PROBE_POWER: Carried =
    Carried { name: "tare-probe-power", bytes: include_bytes!(env!("TARE_PROBE_POWER_FILE")) };

/// The virtual machine monitor; absent but on x86-64.
pub static VMM: Carried =
    Carried { name: "tare-vmm", bytes: include_bytes!(env!("TARE_VMM_FILE")) };

/// The plugin of QEMU's that counts; absent but on x86-64.
pub static PLUGIN: Carried =
    Carried { name: "tare-plugin", bytes: include_bytes!(env!("TARE_PLUGIN_FILE")) };

impl Carried {
    /// Whether tare was built with it: not everything is there for every architecture.
    pub fn is_here(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// SHA-256 in hexadecimal.
    pub fn sha256(&self) -> String {
        format!("{:x}", Sha256::digest(self.bytes))
    }

    /// Puts it into the folder `cache`, unless it is there, whole; where it is.
    pub fn unpack(&self, cache: &Path) -> Result<PathBuf> {
        let name = self.name;
        let path = cache.join(format!("{name}-{}", &self.sha256()[..16]));
        // Layers run it: what somebody else owns or may write to could be changed after it was compared.
        if is_own_file(&path) && fs::read(&path).is_ok_and(|bytes| bytes == self.bytes) {
            return Ok(path);
        }
        let put = files::put(&path, |file| {
            file.write_all(self.bytes)?;
            Ok(file.set_permissions(fs::Permissions::from_mode(0o755))?)
        });
        put.with_context(|| format!("cannot put {name} into the cache {}", cache.display()))?;
        Ok(path)
    }
}
