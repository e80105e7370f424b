//! Memory mappings that unmap themselves.

use crate::sys::{check, must};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

/// A mapped region.
pub struct Mapping {
    start: *mut u8,
    size: usize,
}

impl Mapping {
    /// Maps the first `size` bytes of `file`, shared.
    pub fn of(file: &File, size: usize, protection: libc::c_int) -> io::Result<Mapping> {
        let start = map_shared(file.as_raw_fd(), size, protection);
        check("mmap", start as isize)?;
        Ok(Mapping { start, size })
    }

    /// The address of its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Unmaps the region and maps `file` in its stead. Panics when the kernel refuses: it is part
    /// of timed operations.
    pub fn replace(&mut self, file: libc::c_int, protection: libc::c_int) {
        unmap(self.start, self.size);
        self.start = map_shared(file, self.size, protection);
        must("mmap", self.start.cast() != libc::MAP_FAILED);
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.start.cast() != libc::MAP_FAILED {
            // SAFETY: the region is this mapping's own, and nothing refers to it any more.
            unsafe { libc::munmap(self.start.cast(), self.size) };
        }
    }
}

/// mmap(2) of the start of `file`, shared, where the kernel likes; `MAP_FAILED` when it fails.
pub fn map_shared(file: libc::c_int, size: usize, protection: libc::c_int) -> *mut u8 {
    // SAFETY: without MAP_FIXED a new mapping touches no memory in use.
    unsafe { libc::mmap(ptr::null_mut(), size, protection, libc::MAP_SHARED, file, 0) }.cast()
}

/// munmap(2) of a region that nothing refers to. Panics when the kernel refuses.
pub fn unmap(start: *mut u8, size: usize) {
    // SAFETY: the callers own the region and drop their only pointer to it.
    must("munmap", unsafe { libc::munmap(start.cast(), size) } == 0);
}
