//! The probe that tare carries inside: put where every layer can run it, by its hash.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The probe's bytes, built with tare itself.
static PROBE: &[u8] = include_bytes!(env!("TARE_PROBE_FILE"));

/// SHA-256 of the probe, in hexadecimal.
pub fn sha256() -> String {
    Sha256::digest(PROBE).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Puts the probe into `cache`, unless it is there, whole; where it is.
pub fn unpack(cache: &Path) -> Result<PathBuf> {
    let path = cache.join(format!("tare-probe-{}", &sha256()[..16]));
    if fs::read(&path).is_ok_and(|bytes| bytes == PROBE) {
        return Ok(path);
    }
    fs::create_dir_all(cache)
        .with_context(|| format!("cannot make the cache {}", cache.display()))?;
    let fresh = cache.join(format!(".tare-probe-{}", std::process::id()));
    let put = fs::write(&fresh, PROBE)
        .and_then(|()| fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755)))
        .and_then(|()| fs::rename(&fresh, &path));
    put.with_context(|| format!("cannot put the probe into the cache {}", cache.display()))?;
    Ok(path)
}
