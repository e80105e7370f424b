//! The suite `causes`: rows that do one known thing so many times. What tare says of them is checked against what they do, and what
//! some of them cost natively is a price for what layers do.

mod filtered;
mod sleep;
mod stop;

use crate::bench::{Bench, Op, Refusal};
use crate::memory::{Mapping, Pages};
use crate::sys::{must, page_size};
use std::hint::black_box;

/// The suite's name.
pub const SUITE: &str = "causes";

/// Every row.
pub const ROWS: &[Bench] = &[
    row("causes/calls", "five calls of getppid(2)", || {
        Ok(Op::new(|| (0..CALLS).for_each(|_| call())))
    }),
    row("causes/faults", "eight pages are given back by madvise(2), and read again", faults),
    row("causes/sleep", "a sleep of 50 µs, by clock_nanosleep(2)", sleep::prepare),
    row(
        "causes/stop",
        "a traced process goes on until its next stop, by ptrace(2) and wait4(2), on one CPU",
        stop::stops,
    ),
    row(
        "causes/registers_general",
        "the general registers of a stopped process are read and written; half of that",
        || stop::registers(stop::GENERAL),
    ),
    row(
        "causes/registers_float",
        "the same of its floating-point registers (on x86: of FXSAVE)",
        || stop::registers(stop::FLOAT),
    ),
    row(
        "causes/registers_all",
        "the same of all its registers but the general ones (on x86: of XSAVE)",
        || stop::registers(stop::ALL),
    ),
    row(
        "causes/filtered",
        "what a seccomp filter of 1,000 steps adds to 100 calls of getppid(2), of a child on the same CPU",
        filtered::prepare,
    ),
];

const CALLS: u32 = 5;
const PAGES: usize = 8;

/// A row of the suite.
const fn row(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    Bench::primitive(SUITE, name, about, prepare)
}

/// One system call, which the C library does not answer by itself.
fn call() {
    // SAFETY: getppid has no preconditions.
    unsafe { libc::syscall(libc::SYS_getppid) };
}

fn faults() -> Result<Op, Refusal> {
    let page = page_size() as usize;
    let memory = Mapping::anonymous(PAGES * page, Pages::Base)?;
    Ok(Op::new(move || {
        let start = memory.start();
        // SAFETY: the region is the mapping's own; its pages are zero afterwards, as they were before.
        let done = unsafe { libc::madvise(start.cast(), PAGES * page, libc::MADV_DONTNEED) };
        must("madvise", done == 0);
        for at in 0..PAGES {
            // SAFETY: the address is inside of the mapping.
            black_box(unsafe { start.wrapping_add(at * page).read_volatile() });
        }
    }))
}
