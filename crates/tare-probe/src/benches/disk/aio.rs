//! Requests through io_submit(2) and io_getevents(2), which libaio wraps. Older than io_uring, and
//! allowed where that is not.

use super::buffers::Buffers;
use super::engine::{Done, Engine};
use super::target::Disk;
use crate::sys::check;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

/// The kernel's `struct iocb` (include/uapi/linux/aio_abi.h, little-endian).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Request {
    slot: u64,
    key: u32,
    rw_flags: u32,
    operation: u16,
    priority: i16,
    file: u32,
    block: u64,
    size: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// The kernel's `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    slot: u64,
    request: u64,
    result: i64,
    result2: i64,
}

const READ: u16 = 0;
const WRITE: u16 = 1;

/// A context with room for every buffer.
pub struct Aio {
    context: libc::c_ulong,
    template: Request,
    blocks: Vec<*mut u8>,
    requests: Vec<Request>,
    events: Vec<Event>,
}

impl Aio {
    /// A context for `depth` requests to `disk`. It must not outlive `disk` and `buffers`.
    pub fn new(disk: &Disk, write: bool, buffers: &mut Buffers, depth: usize) -> io::Result<Aio> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: `context` is a valid, zeroed place to write to.
        let made = unsafe { libc::syscall(libc::SYS_io_setup, depth, &mut context) };
        check("io_setup", made)?;
        let operation = if write { WRITE } else { READ };
        let (file, size) = (disk.file.as_raw_fd() as u32, buffers.size() as u64);
        let template = Request { operation, file, size, ..Request::default() };
        let requests = vec![template; depth];
        let (blocks, events) = (buffers.blocks(), vec![Event::default(); depth]);
        Ok(Aio { context, template, blocks, requests, events })
    }

    fn submit(&mut self, slot: usize) -> io::Result<()> {
        let mut list = [&raw mut self.requests[slot]];
        let first = list.as_mut_ptr();
        // SAFETY: `list` holds one pointer to a request, whose block lives as long as this context.
        let started = unsafe { libc::syscall(libc::SYS_io_submit, self.context, 1, first) };
        check("io_submit", started).map(drop)
    }

    fn events(&mut self) -> io::Result<usize> {
        let (most, list) = (self.events.len(), self.events.as_mut_ptr());
        let none = ptr::null::<libc::timespec>();
        // SAFETY: `list` has room for `most` events; no timeout is allowed.
        let got =
            unsafe { libc::syscall(libc::SYS_io_getevents, self.context, 1, most, list, none) };
        Ok(check("io_getevents", got)? as usize)
    }
}

impl Engine for Aio {
    fn name(&self) -> &'static str {
        "libaio"
    }

    fn push(&mut self, slot: usize, offset: u64) -> io::Result<()> {
        let (block, offset) = (self.blocks[slot] as u64, offset as i64);
        self.requests[slot] = Request { slot: slot as u64, block, offset, ..self.template };
        self.submit(slot)
    }

    fn wait(&mut self, done: &mut Vec<Done>) -> io::Result<()> {
        let got = loop {
            match self.events() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        let ended = &self.events[..got];
        done.extend(ended.iter().map(|event| (event.slot as usize, event.result)));
        Ok(())
    }
}

impl Drop for Aio {
    fn drop(&mut self) {
        // SAFETY: the context is this one's own; the call waits for what has not ended yet.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
    }
}
