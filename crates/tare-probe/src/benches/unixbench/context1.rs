//! UnixBench "Pipe-based Context Switching": two processes pass a growing number to and fro through
//! two pipes. Neither is kept on a CPU, as in the original.

use super::{SHORT, against, row};
use crate::bench::{Bench, Op, Refusal};
use crate::process::Child;
use crate::sys::{must, pipe};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/context1",
    "Pipe-based Context Switching (lps): a number to another process and back through two pipes",
    Unit::PerSecond,
    SHORT,
    |own| against(4000.0, own, prepare),
);

fn prepare() -> Result<Op, Refusal> {
    let ((theirs, out), (back, answers)) = (pipe()?, pipe()?);
    let partner = Child::start(|| {
        // SAFETY: this process exits without running destructors: nobody uses its copy again.
        unsafe { libc::close(out.as_raw_fd()) };
        while let Some(number) = get(theirs.as_raw_fd()) {
            if !put(answers.as_raw_fd(), number) {
                break;
            }
        }
        0
    })?;
    let mut pair = Pair { out, back, number: 0, _partner: partner };
    Ok(Op::new(move || pair.round()))
}

/// This process's ends; the pipes go first, then the partner.
struct Pair {
    out: OwnedFd,
    back: OwnedFd,
    number: u32,
    _partner: Child,
}

impl Pair {
    fn round(&mut self) {
        must("write to the partner", put(self.out.as_raw_fd(), self.number));
        must("the partner's answer", get(self.back.as_raw_fd()) == Some(self.number));
        self.number = self.number.wrapping_add(1);
    }
}

fn put(pipe: RawFd, number: u32) -> bool {
    let size = size_of_val(&number);
    // SAFETY: pointer and size are of the same variable.
    unsafe { libc::write(pipe, (&raw const number).cast(), size) == size as isize }
}

fn get(pipe: RawFd) -> Option<u32> {
    let mut number = 0u32;
    let size = size_of_val(&number);
    // SAFETY: pointer and size are of the same variable, and any bytes are a number.
    let got = unsafe { libc::read(pipe, (&raw mut number).cast(), size) };
    (got == size as isize).then_some(number)
}
