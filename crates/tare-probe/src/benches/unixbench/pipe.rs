//! UnixBench "Pipe Throughput": one process writes 512 bytes to a pipe and reads them back.

use super::{SHORT, against, row};
use crate::bench::{Bench, Op, Refusal};
use crate::sys::{must, pipe};
use std::os::fd::AsRawFd;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/pipe",
    "Pipe Throughput (lps): write(2) of 512 bytes to a pipe and read(2) of them",
    Unit::PerSecond,
    SHORT,
    |own| against(12_440.0, own, prepare),
);

/// What the original passes.
const SIZE: usize = 512;

fn prepare() -> Result<Op, Refusal> {
    let (reader, writer) = pipe()?;
    let mut block = [0u8; SIZE];
    Ok(Op::new(move || {
        // SAFETY: pointer and size are of the same array.
        let put = unsafe { libc::write(writer.as_raw_fd(), block.as_ptr().cast(), SIZE) };
        must("write to a pipe", put == SIZE as isize);
        // SAFETY: pointer and size are of the same array.
        let got = unsafe { libc::read(reader.as_raw_fd(), block.as_mut_ptr().cast(), SIZE) };
        must("read from a pipe", got == SIZE as isize);
    }))
}
