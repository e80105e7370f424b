//! UnixBench "System Call Overhead": five system calls that do next to nothing make one loop.

use super::{SHORT, against, row};
use crate::bench::{Bench, Op, Refusal};
use crate::sys::must;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/syscall",
    "System Call Overhead (lps): dup, close, getpid, getuid and umask make one loop",
    Unit::PerSecond,
    SHORT,
    |own| against(15_000.0, own, prepare),
);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| {
        // SAFETY: dup has no memory preconditions; a closed descriptor is an error that is checked.
        let copy = unsafe { libc::dup(0) };
        // SAFETY: the descriptor is the one just made.
        must("close of a dup", unsafe { libc::close(copy) } == 0);
        // SAFETY: getpid has no preconditions; it is called by number so that nothing caches it.
        unsafe { libc::syscall(libc::SYS_getpid) };
        // SAFETY: getuid has no preconditions.
        unsafe { libc::getuid() };
        // SAFETY: umask has no preconditions; the copy is a process of its own.
        unsafe { libc::umask(0o22) };
    }))
}
