//! Memory mappings that unmap themselves.

use crate::bench::Refusal;
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

    /// Maps the first `size` bytes of `file`, of which it gets a copy of each page that it writes to. Panics when the kernel
    /// refuses: it is part of timed operations.
    pub fn private(file: &File, size: usize) -> Mapping {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let file = file.as_raw_fd();
        // SAFETY: without MAP_FIXED a new mapping touches no memory in use.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), size, access, libc::MAP_PRIVATE, file, 0) };
        must("mmap", start != libc::MAP_FAILED);
        Mapping { start: start.cast(), size }
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

/// Which pages memory is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// What the layer gives without being asked.
    Default,
    /// Base pages, whatever the layer likes.
    Base,
    /// Transparent huge pages.
    Huge,
}

impl Mapping {
    /// `size` bytes of zeroed memory of this process alone, none of them touched yet.
    pub fn anonymous(size: usize, pages: Pages) -> Result<Mapping, Refusal> {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a fresh mapping of no file, at no wanted place.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, access, kind, -1, 0) }.cast::<u8>();
        check("mmap", start as isize)?;
        let mapping = Mapping { start, size };
        let advice = match pages {
            Pages::Default => return Ok(mapping),
            Pages::Base => libc::MADV_NOHUGEPAGE,
            Pages::Huge => libc::MADV_HUGEPAGE,
        };
        // SAFETY: the region is the one just mapped.
        let advised = unsafe { libc::madvise(mapping.start.cast(), size, advice) } == 0;
        // A kernel without huge pages knows neither word, and has base pages only.
        if pages == Pages::Huge && !advised {
            return Err(Refusal::Unavailable(
                "this layer's kernel has no transparent huge pages".into(),
            ));
        }
        Ok(mapping)
    }

    /// The region as values of `T`.
    ///
    /// # Safety
    /// Any bytes, zeros too, must be a valid `T`.
    pub unsafe fn values<T>(&mut self) -> &mut [T] {
        let count = self.size / size_of::<T>();
        // SAFETY: the region is this mapping's own, page-aligned, and holds as many values, which
        // any bytes are, as the caller says.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), count) }
    }

    /// Bytes of it, once touched, that are in huge pages, when the kernel says so.
    pub fn huge(&self) -> Option<u64> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let start = self.start as usize;
        let end = start + self.size;
        let mut inside = false;
        let mut known = false;
        let mut huge = 0;
        for line in maps.lines() {
            if let Some((low, rest)) = line.split_once('-')
                && let Ok(low) = usize::from_str_radix(low, 16)
            {
                let high =
                    rest.split(' ').next().and_then(|word| usize::from_str_radix(word, 16).ok());
                inside = low < end && high.is_some_and(|high| high > start);
            } else if inside && let Some(rest) = line.strip_prefix("AnonHugePages:") {
                known = true;
                huge += rest.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10;
            }
        }
        known.then(|| huge.min(self.size as u64))
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
