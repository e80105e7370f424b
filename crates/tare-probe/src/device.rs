//! The disk of a layer, a file or a device: its size, or why it cannot be used.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use tare_proto::NO_DISK;

/// The smallest disk: one that is smaller holds the reason why there is none, or a mistake.
const SMALLEST: u64 = 1 << 20;

/// The size of the disk at `path`, or the reason that is written on it.
pub fn size(path: &str) -> io::Result<u64> {
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

/// Why a disk cannot be used.
pub fn why(path: &str, error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EINVAL) => format!("the file system of {path} cannot do O_DIRECT"),
        Some(libc::EROFS) => format!("{path} can only be read"),
        _ if error.kind() == ErrorKind::NotFound => {
            format!("there is no {path}: this layer's kernel has no driver for its disk")
        }
        _ => format!("{path}: {error}"),
    }
}
