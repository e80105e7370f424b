//! UnixBench's file copies: blocks of one size from one file to another, and from the start again
//! at the file's end.

use crate::bench::{Measured, Op, Own, Refusal};
use crate::scratch;
use crate::sys::must;
use std::os::fd::{AsRawFd, RawFd};

/// The rate of copying blocks of `SIZE` bytes within files of `KIB` KiB, beside the published `baseline`. The original
/// counts a file's blocks (`-m`) in KiB, whatever the size of a block that it copies.
pub fn against<const SIZE: usize, const KIB: usize>(
    baseline: f64,
    own: &Own,
) -> Result<Measured, Refusal> {
    fits(KIB << 10, own.load)?;
    super::against(baseline, own, prepare::<SIZE, KIB>)
}

/// Refuses where the scratch folder has no room for two files of `size` bytes for each copy.
fn fits(size: usize, copies: u32) -> Result<(), Refusal> {
    let (needed, free) = (2 * size as u64 * u64::from(copies), scratch::free()?);
    // A quarter stays free: where files are memory, the guest needs some of it.
    if needed > free / 4 * 3 {
        let (needed, free) = (needed >> 20, free >> 20);
        return Err(Refusal::Unavailable(format!(
            "{needed} MiB of files for {copies} copies, and {free} MiB of scratch space are free"
        )));
    }
    Ok(())
}

/// The copy of one block.
fn prepare<const SIZE: usize, const KIB: usize>() -> Result<Op, Refusal> {
    let (from, to) = (scratch::nameless(KIB << 10)?, scratch::nameless(KIB << 10)?);
    rewind(from.as_raw_fd());
    rewind(to.as_raw_fd());
    let (mut block, mut at) = ([0u8; SIZE], 0);
    let copy = move || {
        if at == (KIB << 10) / SIZE {
            rewind(from.as_raw_fd());
            rewind(to.as_raw_fd());
            at = 0;
        }
        at += 1;
        // SAFETY: pointer and size are of the same array.
        let got = unsafe { libc::read(from.as_raw_fd(), block.as_mut_ptr().cast(), SIZE) };
        must("read of a block", got == SIZE as isize);
        // SAFETY: pointer and size are of the same array.
        let put = unsafe { libc::write(to.as_raw_fd(), block.as_ptr().cast(), SIZE) };
        must("write of a block", put == SIZE as isize);
    };
    Ok(Op::new(copy).divided_by(SIZE as f64))
}

fn rewind(file: RawFd) {
    // SAFETY: lseek has no memory preconditions.
    must("lseek", unsafe { libc::lseek(file, 0, libc::SEEK_SET) } == 0);
}
