//! Makes tare's release from a binary: an archive, a Debian package, the licences of everything in it, and a bill of materials.
//!
//! The same binary always gives the same files: names are sorted, dates are the commit's, owners are root.

mod archive;
mod contents;
mod deb;
mod licences;
mod parts;
mod run;
mod sbom;

pub use contents::Contents;
pub use run::{program, said};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// What is released.
#[derive(Debug, Clone)]
pub struct Release {
    /// The repository.
    pub root: PathBuf,
    /// The command `tare`, built.
    pub binary: PathBuf,
    /// tare's version.
    pub version: String,
    /// The date of every file, in seconds since 1970.
    pub epoch: u64,
    /// Whether the binary holds the C library, whose licence then applies to it.
    pub is_static: bool,
}

/// Makes every file of the release in `out`: the archive, the package, and `SHA256SUMS` of both.
///
/// # Errors
/// A dependency whose licence is not known to be compatible; a program that fails (`tar`, `gzip`, `dpkg-deb`); a file that
/// cannot be written.
pub fn pack(release: &Release, out: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let contents = Contents::of(release)?;
    let mut files = vec![archive::write(release, &contents, out)?];
    files.push(deb::write(release, &contents, out)?);
    let mut sums = String::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        sums += &format!("{:x}  {name}\n", Sha256::digest(fs::read(file)?));
    }
    let path = out.join("SHA256SUMS");
    fs::write(&path, sums)?;
    files.push(path);
    Ok(files)
}
