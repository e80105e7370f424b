//! Where benchmarks make their files, and files that remove themselves.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder: `$TARE_SCRATCH` when the layer gives one, else memory-backed where there is one.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let given = std::env::var_os("TARE_SCRATCH").map(PathBuf::from);
        let usual = ["/dev/shm", "/tmp"].map(PathBuf::from);
        let mut folders = given.into_iter().chain(usual);
        folders.find(|folder| writable(folder)).unwrap_or_else(|| PathBuf::from("/"))
    })
}

fn writable(folder: &Path) -> bool {
    let path = folder.join(format!(".tare-{}", std::process::id()));
    let made = File::create(&path).is_ok();
    let _ = fs::remove_file(&path);
    made
}

/// A file in the scratch folder that is removed when dropped.
pub struct ScratchFile {
    /// Where it is.
    pub path: PathBuf,
}

impl ScratchFile {
    /// Makes a file of `size` bytes, really written (not a hole).
    pub fn new(name: &str, size: usize) -> io::Result<ScratchFile> {
        let path = folder().join(format!("tare-{}-{name}", std::process::id()));
        let mut file = File::create(&path)?;
        let scratch = ScratchFile { path };
        let block = vec![0x5a; 64 << 10];
        let mut left = size;
        while left > 0 {
            let part = left.min(block.len());
            file.write_all(&block[..part])?;
            left -= part;
        }
        Ok(scratch)
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
