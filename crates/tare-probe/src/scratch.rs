//! Where benchmarks make their files, and files that remove themselves.

use crate::sys::name_error;
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder: `$TARE_SCRATCH` when the layer gives one, else memory-backed where there is one.
///
/// It becomes the working directory, so that files are named by one word: a path of its own length on
/// every layer would be weighed as if it were the layer (15% of a stat for two folders more).
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let given = std::env::var_os("TARE_SCRATCH").map(PathBuf::from);
        let usual = ["/dev/shm", "/tmp"].map(PathBuf::from);
        let mut folders = given.into_iter().chain(usual);
        let folder = folders.find(|folder| writable(folder)).unwrap_or_else(|| PathBuf::from("/"));
        let _ = std::env::set_current_dir(&folder); // fails only where its files fail too
        folder
    })
}

fn writable(folder: &Path) -> bool {
    let path = folder.join(format!(".tare-{}", std::process::id()));
    let made = File::create(&path).is_ok();
    let _ = fs::remove_file(&path);
    made
}

/// An empty file with a name in the scratch folder; removed when dropped.
pub struct Named {
    /// In the working directory, which is the scratch folder.
    name: String,
}

impl Named {
    /// Makes it. `name` tells the probe's files apart.
    pub fn new(name: &str) -> io::Result<Named> {
        let folder = folder();
        let name = format!("tare-{}-{name}", std::process::id());
        File::create(&name).map_err(|e| name_error(folder.join(&name).display(), e))?;
        Ok(Named { name })
    }

    /// Its path as system calls take it.
    pub fn c_path(&self) -> CString {
        CString::new(self.name.as_str()).expect("no NUL in a name")
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.name);
    }
}

/// An open file of `size` bytes, really written (not a hole), that has no name any more: nothing
/// of it outlives the probe, however that ends.
pub fn nameless(size: usize) -> io::Result<File> {
    let path = folder().join(format!("tare-{}-nameless", std::process::id()));
    let fail = |error| name_error(path.display(), error);
    let opened = File::options().read(true).write(true).create(true).truncate(true).open(&path);
    let mut file = opened.map_err(fail)?;
    fs::remove_file(&path).map_err(fail)?;
    let block = vec![0x5a; 64 << 10];
    let mut left = size;
    while left > 0 {
        let part = left.min(block.len());
        file.write_all(&block[..part]).map_err(fail)?;
        left -= part;
    }
    Ok(file)
}
