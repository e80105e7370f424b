//! A file, one request at a time.

use super::{Action, Begun, Device, Io};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// A queue that waits for each of its requests.
pub struct Pread {
    file: Arc<File>,
}

impl Pread {
    /// A queue on `file`.
    pub fn new(file: Arc<File>) -> Self {
        Self { file }
    }
}

impl Device for Pread {
    unsafe fn begin(&mut self, _token: u32, io: &Io<'_>) -> Begun {
        let file = self.file.as_raw_fd();
        let vectors: *const libc::iovec = io.segments.as_ptr().cast();
        let count = io.segments.len() as libc::c_int;
        let offset = io.offset as libc::off_t;
        let moved = match io.action {
            // SAFETY: the caller promises that the segments are valid, and a segment is an iovec.
            Action::Read => unsafe { libc::preadv(file, vectors, count, offset) },
            // SAFETY: as above.
            Action::Write => unsafe { libc::pwritev(file, vectors, count, offset) },
            Action::Flush => return Begun::Done(self.file.sync_data().is_ok()),
        };
        Begun::Done(u32::try_from(moved) == Ok(io.bytes))
    }
}
