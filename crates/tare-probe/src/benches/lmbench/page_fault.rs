//! lmbench "Page Fault": reads every page of a mapped file in random order, then unmaps it, maps it
//! again and msync(2)s it with MS_INVALIDATE; less the same without the reads; divided by the pages.
//!
//! The file is in memory all along, so a fault maps a page that is already there. Linux maps
//! neighbours along with it, so a value is less than one trap; so it is in lmbench.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::memory::Mapping;
use crate::scratch;
use crate::sys::{must, page_size};
use std::fs::File;
use std::os::fd::AsRawFd;

pub const BENCH: Bench = latency(
    "lmbench/page_fault",
    "first read of a page of a mapped file that is in memory, mapping it not counted",
    prepare,
);

/// lmbench takes its largest scratch file, and refuses less than 1 MiB.
const SIZE: usize = 4 << 20;

/// The operation, which the suite `operations` measures too.
pub fn prepare() -> Result<Op, Refusal> {
    let file = scratch::nameless(SIZE)?;
    let pages = shuffled_pages();
    let count = pages.len() as f64;
    let mut mapping = Mapping::of(&file, SIZE, libc::PROT_READ)?;
    let bare = remapper(file.try_clone()?)?;
    let read_and_remap = move || {
        for offset in &pages {
            // SAFETY: the offset is inside of the mapping.
            unsafe { mapping.start().wrapping_add(*offset).read_volatile() };
        }
        remap(&mut mapping, &file);
    };
    Ok(Op::new(read_and_remap).minus(bare).divided_by(count))
}

/// Everything but the reads, on a mapping of its own.
fn remapper(file: File) -> Result<impl FnMut(), Refusal> {
    let mut mapping = Mapping::of(&file, SIZE, libc::PROT_READ)?;
    Ok(move || remap(&mut mapping, &file))
}

fn remap(mapping: &mut Mapping, file: &File) {
    mapping.replace(file.as_raw_fd(), libc::PROT_READ);
    // SAFETY: the region is the mapping's own.
    let done = unsafe { libc::msync(mapping.start().cast(), SIZE, libc::MS_INVALIDATE) };
    must("msync", done == 0);
}

/// The offset of every page, in an order that is random and always the same.
fn shuffled_pages() -> Vec<usize> {
    let size = page_size() as usize;
    let mut pages: Vec<usize> = (0..SIZE / size).map(|page| page * size).collect();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for last in (1..pages.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        pages.swap(last, (random >> 33) as usize % (last + 1));
    }
    pages
}
