//! A file, many requests at a time, by io_uring.

use super::{Action, Begun, Device, Io};
use io_uring::{IoUring, opcode, squeue, types};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::Arc;
use vmm_sys_util::eventfd::{EFD_NONBLOCK, EventFd};

/// A queue whose requests the kernel answers when it can.
pub struct Uring {
    ring: IoUring,
    file: Arc<File>,
    event: EventFd,
    /// What each token's request has to move.
    expected: Vec<u32>,
    in_flight: u32,
}

impl Uring {
    /// A queue on `file` for `depth` requests.
    pub fn new(file: Arc<File>, depth: u32) -> io::Result<Self> {
        let ring = IoUring::new(depth.next_power_of_two().clamp(1, 4096))?;
        let event = EventFd::new(EFD_NONBLOCK)?;
        ring.submitter().register_eventfd(event.as_raw_fd())?;
        Ok(Self { ring, file, event, expected: vec![0; depth as usize], in_flight: 0 })
    }

    fn entry(&self, token: u32, io: &Io<'_>) -> squeue::Entry {
        let file = types::Fd(self.file.as_raw_fd());
        let vectors = io.segments.as_ptr().cast();
        let count = io.segments.len() as u32;
        let entry = match io.action {
            Action::Read => opcode::Readv::new(file, vectors, count).offset(io.offset).build(),
            Action::Write => opcode::Writev::new(file, vectors, count).offset(io.offset).build(),
            Action::Flush => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        entry.user_data(u64::from(token))
    }
}

impl Device for Uring {
    unsafe fn begin(&mut self, token: u32, io: &Io<'_>) -> Begun {
        let entry = self.entry(token, io);
        self.expected[token as usize] = io.bytes;
        loop {
            // SAFETY: the caller promises that the segments are valid until the request has finished.
            if unsafe { self.ring.submission().push(&entry) }.is_ok() {
                self.in_flight += 1;
                return Begun::Later;
            }
            if self.ring.submit().is_err() {
                return Begun::Done(false);
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.ring.submission().is_empty() {
            self.ring.submit()?;
        }
        Ok(())
    }

    fn finished(&mut self, into: &mut Vec<(u32, bool)>) -> io::Result<()> {
        // Nothing to read is no failure: another look may have been first.
        let _ = self.event.read();
        for done in self.ring.completion() {
            let token = done.user_data() as u32;
            self.in_flight -= 1;
            into.push((token, u32::try_from(done.result()) == Ok(self.expected[token as usize])));
        }
        Ok(())
    }

    fn event(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: the descriptor is open for as long as `self` is borrowed.
        Some(unsafe { BorrowedFd::borrow_raw(self.event.as_raw_fd()) })
    }
}

impl Drop for Uring {
    /// Memory that the kernel still fills must not go before that.
    fn drop(&mut self) {
        let mut done = Vec::new();
        while self.in_flight > 0 {
            if self.ring.submit_and_wait(1).is_err() || self.finished(&mut done).is_err() {
                break;
            }
        }
    }
}
