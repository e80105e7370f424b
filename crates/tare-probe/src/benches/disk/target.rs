//! The disk that a layer was given: a file or a device that `TARE_DISK` names. A guest's kernel passes
//! the words that it does not know itself, this one among them, to its first process's environment.

use crate::bench::Refusal;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use tare_proto::{DISK, NO_DISK};

/// The smallest disk: one that is smaller holds the reason why there is none, or a mistake.
const SMALLEST: u64 = 1 << 20;

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

/// The size of the disk at `path`, or the reason that is written on it.
fn size(path: &str) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let bytes = file.seek(SeekFrom::End(0))?;
    if bytes >= SMALLEST {
        return Ok(bytes);
    }
    file.rewind()?;
    let mut text = Vec::new();
    file.take(512).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let reason = text.strip_prefix(NO_DISK).map(|why| why.trim_end_matches('\0').trim().to_owned());
    Err(io::Error::other(reason.unwrap_or_else(|| format!("only {bytes} bytes, below 1 MiB"))))
}

fn why(path: &str, error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EINVAL) => format!("the file system of {path} cannot do O_DIRECT"),
        Some(libc::EROFS) => format!("{path} can only be read"),
        _ if error.kind() == ErrorKind::NotFound => {
            format!("there is no {path}: this layer's kernel has no driver for its disk")
        }
        _ => format!("{path}: {error}"),
    }
}
