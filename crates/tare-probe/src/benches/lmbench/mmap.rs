//! lmbench "Mmap Latency": maps a file region shared and writable, writes a byte at every 16 KiB
//! of its first tenth, and unmaps it.
//!
//! lmbench's summary shows the largest size it ran, which is what it found of the machine's
//! memory. Here it is always 32 MiB, so that layers are compared at one size and a guest of 256 MB
//! has room for it: 205 pages are faulted in.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::memory::{map_shared, unmap};
use crate::scratch;
use crate::sys::must;
use std::os::fd::AsRawFd;

pub const BENCH: Bench = latency(
    "lmbench/mmap",
    "mmap(2) of 32 MiB of a file, a write to every fourth page of its first tenth, munmap(2)",
    prepare,
);

const SIZE: usize = 32 << 20;
const STRIDE: usize = 16 << 10;

fn prepare() -> Result<Op, Refusal> {
    let file = scratch::nameless(SIZE)?;
    Ok(Op::new(move || {
        let start = map_shared(file.as_raw_fd(), SIZE, libc::PROT_READ | libc::PROT_WRITE);
        must("mmap", start.cast() != libc::MAP_FAILED);
        for offset in (0..SIZE / 10).step_by(STRIDE) {
            // SAFETY: the offset is inside of the writable region, which nobody else knows.
            unsafe { start.wrapping_add(offset).write_volatile(0) };
        }
        unmap(start, SIZE);
    }))
}
