//! Where benchmarks make their files, and files that remove themselves.

use crate::sys::name_error;
use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
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
    let path = folder.join(format!(".tare-{}", own_id()));
    let made = File::create(&path).is_ok();
    let _ = fs::remove_file(&path);
    made
}

/// This process's id in ten digits: a name's length is part of what a look-up costs, and a process has fewer digits in a container
/// than on the host (0.8% of a stat).
pub fn own_id() -> String {
    format!("{:010}", std::process::id())
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
        let name = format!("tare-{}-{name}", own_id());
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

/// A directory with a name in the scratch folder; removed with all that is in it when dropped.
pub struct Folder {
    /// In the working directory, which is the scratch folder.
    name: String,
}

impl Folder {
    /// Makes it with as many empty files. `name` tells the probe's folders apart.
    pub fn with_files(name: &str, files: usize) -> io::Result<Folder> {
        let parent = folder();
        let name = format!("tare-{}-{name}", own_id());
        fs::create_dir(&name).map_err(|e| name_error(parent.join(&name).display(), e))?;
        let made = Folder { name };
        for file in 0..files {
            let path = format!("{}/file{file:03}", made.name);
            File::create(&path).map_err(|e| name_error(path, e))?;
        }
        Ok(made)
    }

    /// Its path as system calls take it.
    pub fn c_path(&self) -> CString {
        CString::new(self.name.as_str()).expect("no NUL in a name")
    }

    /// The path of `file` in it.
    pub fn inside(&self, file: &CStr) -> CString {
        let path = [self.name.as_bytes(), b"/", file.to_bytes()].concat();
        CString::new(path).expect("no NUL in names")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.name);
    }
}

/// An open file of `size` bytes, really written (not a hole), that has no name any more: nothing
/// of it outlives the probe, however that ends.
pub fn nameless(size: usize) -> io::Result<File> {
    nameless_with(size, 0)
}

/// The same, opened with further `flags` of open(2).
pub fn nameless_with(size: usize, flags: libc::c_int) -> io::Result<File> {
    let parent = folder();
    let path = PathBuf::from(format!("tare-{}-nameless", own_id()));
    let fail = |error| name_error(parent.join(&path).display(), error);
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(true).custom_flags(flags);
    let mut file = options.open(&path).map_err(fail)?;
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

/// Bytes that are free in the scratch folder.
pub fn free() -> io::Result<u64> {
    let path = CString::new(folder().as_os_str().as_encoded_bytes()).expect("no NUL in a path");
    // A file system without a size: memory is its only bound.
    Ok(crate::free::space(&path)?.unwrap_or_else(|| crate::free::memory().unwrap_or(0)))
}
