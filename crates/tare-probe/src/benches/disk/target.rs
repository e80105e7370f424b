//! The disk that a layer was given: a file or a device that `TARE_DISK` names. A guest's kernel passes
//! the words that it does not know itself, this one among them, to its first process's environment.

use crate::bench::Refusal;
use crate::device::{size, why};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use tare_proto::DISK;

/// An open disk.
pub struct Disk {
    /// Opened past the page cache.
    pub file: File,
    /// Its size.
    pub bytes: u64,
}

impl Disk {
    /// Opens the layer's disk, to write on it if `write`.
    pub fn open(write: bool) -> Result<Disk, Refusal> {
        let Ok(path) = std::env::var(DISK) else {
            let why = "this layer was given no disk (setting disk=; by hand, TARE_DISK=FILE)";
            return Err(Refusal::Unavailable(why.into()));
        };
        let unavailable = |e: io::Error| Refusal::Unavailable(why(&path, &e));
        let bytes = size(&path).map_err(unavailable)?;
        // A mounted device is busy for those who ask for it alone.
        let device = std::fs::metadata(&path).is_ok_and(|it| it.file_type().is_block_device());
        let alone = if device { libc::O_EXCL } else { 0 };
        let mut options = OpenOptions::new();
        options.read(true).write(write).custom_flags(libc::O_DIRECT | alone);
        let file = options.open(&path).map_err(unavailable)?;
        Ok(Disk { file, bytes })
    }
}
