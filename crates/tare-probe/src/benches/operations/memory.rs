//! Mappings and page faults.

use super::row;
use crate::bench::{Bench, Op, Refusal};
use crate::benches::lmbench::{page_fault, prot_fault};
use crate::memory::{Mapping, Pages};
use crate::process::child_exits;
use crate::scratch;
use crate::sys::{must, page_size};
use std::ptr;

pub const ROWS: &[Bench] = &[
    row("operations/mmap", "mmap(2) and munmap(2) of 64 KiB of memory that is not touched", || {
        Ok(Op::new(|| drop(mapped(64 << 10))))
    }),
    row(
        "operations/mprotect",
        "one mprotect(2) of a touched page; mean of taking and giving",
        protect,
    ),
    row(
        "operations/brk",
        "brk(2): where the heap ends, up by a page, down again; a third of that",
        heap,
    ),
    row(
        "operations/fault_anonymous",
        "first write to a page of fresh memory, mapping it not counted",
        || {
            let pages = PAGES * page_size() as usize;
            let touch = move || mapped(pages).touch(pages);
            Ok(Op::new(touch).minus(move || drop(mapped(pages))).divided_by(PAGES as f64))
        },
    ),
    row(
        "operations/fault_shared",
        "first write to a page of fresh shared memory, mapping it not counted",
        || {
            let pages = PAGES * page_size() as usize;
            let fresh = move || Fresh::new(pages, libc::MAP_SHARED);
            let touch = move || fresh().touch(pages);
            Ok(Op::new(touch).minus(move || drop(fresh())).divided_by(PAGES as f64))
        },
    ),
    row(
        "operations/fault_mapping",
        "first touch of a file's private mapping, mapping not counted; mean of reading and writing",
        first_touches,
    ),
    row(
        "operations/fault_file",
        "first read of a page of a mapped file in memory, mapping not counted",
        page_fault::prepare,
    ),
    row(
        "operations/fault_copy",
        "first write to a page that a forked child shares with its parent",
        copied,
    ),
    row(
        "operations/fault_protection",
        "a write to a page that may only be read, less catching the signal",
        prot_fault::prepare,
    ),
];

/// Pages that are touched between two mappings.
const PAGES: usize = 256;

/// Fresh memory in base pages, which is unmapped when dropped.
struct Fresh(*mut u8, usize);

fn mapped(size: usize) -> Fresh {
    Fresh::new(size, libc::MAP_PRIVATE)
}

impl Fresh {
    fn new(size: usize, kind: libc::c_int) -> Fresh {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, kind | libc::MAP_ANON);
        // SAFETY: a fresh mapping of no file, at no wanted place.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, access, kind, -1, 0) };
        must("mmap", start != libc::MAP_FAILED);
        Fresh(start.cast(), size)
    }

    fn touch(&self, size: usize) {
        touch(self.0, size);
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // SAFETY: the region is its own, and nothing refers to it any more.
        must("munmap", unsafe { libc::munmap(self.0.cast(), self.1) } == 0);
    }
}

/// Writes to every page of the first `size` bytes from `start`.
fn touch(start: *mut u8, size: usize) {
    for offset in (0..size).step_by(page_size() as usize) {
        // SAFETY: the callers own the region and know its size.
        unsafe { start.wrapping_add(offset).write_volatile(1) };
    }
}

fn protect() -> Result<Op, Refusal> {
    let size = page_size() as usize;
    let page = Mapping::anonymous(size, Pages::Base)?;
    touch(page.start(), size);
    let set = move |access| {
        // SAFETY: the page is the mapping's own, and is not used meanwhile.
        must("mprotect", unsafe { libc::mprotect(page.start().cast(), size, access) } == 0);
    };
    let both = move || {
        set(libc::PROT_READ);
        set(libc::PROT_READ | libc::PROT_WRITE);
    };
    Ok(Op::new(both).divided_by(2.0))
}

fn heap() -> Result<Op, Refusal> {
    let both = || {
        let page = page_size() as usize;
        // SAFETY: nobody uses what lies beyond the end of the heap, and the end is where it was afterwards.
        let end = unsafe { libc::syscall(libc::SYS_brk, 0) } as usize;
        for to in [end + page, end] {
            // SAFETY: as above.
            must("brk", unsafe { libc::syscall(libc::SYS_brk, to) } as usize == to);
        }
    };
    Ok(Op::new(both).divided_by(3.0))
}

/// A page is read, and another one is written to: a layer may answer each by mapping many pages.
fn first_touches() -> Result<Op, Refusal> {
    let file = scratch::nameless(TOUCHED)?;
    let same = file.try_clone()?;
    let both = move || {
        let mapping = Mapping::private(&file, TOUCHED);
        let start = mapping.start();
        // SAFETY: the page is inside of the mapping.
        unsafe { start.read_volatile() };
        touch(start.wrapping_add(TOUCHED / 2), 1);
    };
    Ok(Op::new(both).minus(move || drop(Mapping::private(&same, TOUCHED))).divided_by(2.0))
}

/// Size of a mapping that is touched twice: that of a small library's section.
const TOUCHED: usize = 64 << 10;

/// A child that writes to its parent's pages, less one that does not.
fn copied() -> Result<Op, Refusal> {
    let size = PAGES * page_size() as usize;
    let shared = Mapping::anonymous(size, Pages::Base)?;
    touch(shared.start(), size);
    let start = shared.start();
    let write = move || {
        let _keep = &shared;
        child_exits(0, || {
            touch(start, size);
            0
        });
    };
    Ok(Op::new(write).minus(|| child_exits(0, || 0)).divided_by(PAGES as f64))
}
