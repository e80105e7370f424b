//! The disk that a layer was given: a file or a device that `TARE_DISK` names. A guest's kernel passes
//! the words that it does not know itself, this one among them, to its first process's environment.

use crate::bench::Refusal;
use crate::device::{size, why};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use tare_proto::DISK;

pub struct Disk {
    /// Opened past the page cache.
    pub file: File,
    pub bytes: u64,
    /// What the kernel counts of it, if it is a device.
    statistics: Option<String>,
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
        let device = fs::metadata(&path).ok().filter(|it| it.file_type().is_block_device());
        let alone = if device.is_some() { libc::O_EXCL } else { 0 };
        let mut options = OpenOptions::new();
        options.read(true).write(write).custom_flags(libc::O_DIRECT | alone);
        let file = options.open(&path).map_err(unavailable)?;
        let statistics = device.map(|it| {
            let (major, minor) = (libc::major(it.rdev()), libc::minor(it.rdev()));
            format!("/sys/dev/block/{major}:{minor}/stat")
        });
        Ok(Disk { file, bytes, statistics })
    }

    /// Reads and writes that the device has ended, as its driver was given them: what is too long for it comes in several.
    /// (Linux, Documentation/block/stat.rst: the first and the fifth number.)
    pub fn requests(&self) -> Option<u64> {
        let text = fs::read_to_string(self.statistics.as_ref()?).ok()?;
        let number = |at| text.split_whitespace().nth(at)?.parse::<u64>().ok();
        Some(number(0)? + number(4)?)
    }
}
