//! lmbench "null I/O": lmbench times the read and the write apart and prints their mean.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::sys::{must, name_error};
use std::fs::File;
use std::os::fd::AsRawFd;

pub const BENCH: Bench = latency(
    "lmbench/null_io",
    "mean of a 1-byte read(2) of /dev/zero and a 1-byte write(2) to /dev/null",
    prepare,
);

/// The operation, which the suite `operations` measures too.
pub fn prepare() -> Result<Op, Refusal> {
    let zero = File::open("/dev/zero").map_err(|e| name_error("/dev/zero", e))?;
    let null =
        File::options().write(true).open("/dev/null").map_err(|e| name_error("/dev/null", e))?;
    let mut byte = 0u8;
    let operation = move || {
        let at = (&raw mut byte).cast();
        // SAFETY: `at` has room for one byte.
        must("read /dev/zero", unsafe { libc::read(zero.as_raw_fd(), at, 1) } == 1);
        // SAFETY: `at` is one byte.
        must("write /dev/null", unsafe { libc::write(null.as_raw_fd(), at, 1) } == 1);
    };
    Ok(Op::new(operation).divided_by(2.0))
}
