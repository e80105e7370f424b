//! The ring that the kernel writes one CPU's records into.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{io, ptr, slice};

/// Where the control page holds the place of the next record to come, and of the next one to read (`linux/perf_event.h`).
const HEAD: usize = 1024;
const TAIL: usize = 1032;

/// A record is at most this long.
const LONGEST: u64 = 1 << 16;

/// A smaller ring holds nothing worth a turn, in bytes.
pub(crate) const LEAST: usize = 64 << 10;

/// A mapped ring; unmapped when it is dropped.
pub(crate) struct Ring {
    base: *mut u8,
    page: usize,
    bytes: usize,
}

// SAFETY: the mapping belongs to the process; only whoever has the ring reads it, and the kernel's side is reached by atomics.
unsafe impl Send for Ring {}

impl Ring {
    /// The ring of `event`, of at most `bytes`, or of half as many, and so on until [`LEAST`], where the kernel does not give as many.
    pub(crate) fn map(event: &OwnedFd, bytes: usize) -> io::Result<Ring> {
        // SAFETY: sysconf has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as usize;
        let mut pages = (bytes / page).max(1).next_power_of_two();
        loop {
            match map(event, (pages + 1) * page) {
                Ok(base) => return Ok(Ring { base, page, bytes: pages * page }),
                Err(error) if pages * page <= LEAST => return Err(error),
                Err(_) => pages /= 2,
            }
        }
    }

    fn place(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the control page is mapped as long as the ring, and both places are aligned.
        unsafe { &*self.base.wrapping_add(offset).cast::<AtomicU64>() }
    }

    /// Takes out all records; and whether there was no room for another one at the end.
    pub(crate) fn take(&mut self) -> (Vec<u8>, bool) {
        let head = self.place(HEAD).load(Ordering::Acquire);
        let tail = self.place(TAIL).load(Ordering::Relaxed);
        let used = head.wrapping_sub(tail);
        let from = (tail % self.bytes as u64) as usize;
        let length = (used as usize).min(self.bytes);
        // SAFETY: the pages behind the control page are mapped, and the kernel does not write to what lies before the head.
        let all = unsafe { slice::from_raw_parts(self.base.wrapping_add(self.page), self.bytes) };
        let first = length.min(self.bytes - from);
        let mut records = all[from..from + first].to_vec();
        records.extend_from_slice(&all[..length - first]);
        self.place(TAIL).store(head, Ordering::Release);
        (records, used + LONGEST / 16 > self.bytes as u64)
    }

    /// The number of bytes that wait in it.
    pub(crate) fn used(&self) -> usize {
        let place = |at| self.place(at).load(Ordering::Acquire);
        place(HEAD).wrapping_sub(place(TAIL)) as usize
    }

    /// The number of bytes that it can hold.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes
    }
}

fn map(event: &OwnedFd, bytes: usize) -> io::Result<*mut u8> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at no wanted place.
    let base = unsafe {
        libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_SHARED, event.as_raw_fd(), 0)
    };
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base.cast()) }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`, which nothing refers to any more.
        unsafe { libc::munmap(self.base.cast(), self.page + self.bytes) };
    }
}
