//! lmbench's context switch: a token goes around a ring of processes over pipes, and each process
//! reads its whole working set before it passes the token on.
//!
//! The ring stays on one CPU, as with lmbench's `LMBENCH_SCHED=SINGLE` and as in report 1, which
//! ran kernels for one: a hop between two CPUs is a wake-up, not a switch.
//!
//! A value is the time of one hop, less what passing the token through a pipe and reading a warm
//! working set cost within one process. lmbench walks the pipes of its largest ring (96) for the
//! latter; here it is as many as the ring has.

use crate::bench::{Op, Refusal};
use crate::process::{Child, OneCpu};
use crate::sys::{must, pipe};
use std::hint::black_box;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Reading end, writing end.
type Pipe = (OwnedFd, OwnedFd);

/// The switches of a ring of `PROCESSES` with `KIB` KiB each.
pub fn prepare<const PROCESSES: usize, const KIB: usize>() -> Result<Op, Refusal> {
    let pinned = OneCpu::pin()
        .map_err(|e| Refusal::Unavailable(format!("the ring cannot stay on one CPU: {e}")))?;
    let mut ring = Ring::start(PROCESSES, KIB)?;
    ring.round();
    let alone = pipes(PROCESSES)?;
    let set = working_set(KIB);
    let within_one_process = move || {
        for (reader, writer) in &alone {
            must("write to a pipe", put(writer.as_raw_fd()));
            must("read from a pipe", get(reader.as_raw_fd()));
            touch(&set);
        }
    };
    let round = move || {
        let _until_dropped = &pinned;
        ring.round();
    };
    Ok(Op::new(round).minus(within_one_process).divided_by(PROCESSES as f64))
}

/// This process's part of a ring. Dropping it ends the others: first their pipes, then they.
struct Ring {
    first: OwnedFd,
    last: OwnedFd,
    set: Vec<u64>,
    _others: Vec<Child>,
}

impl Ring {
    fn start(processes: usize, kib: usize) -> io::Result<Ring> {
        let mut pipes = pipes(processes)?;
        let others = (1..processes).map(|at| {
            let mut set = working_set(kib);
            Child::start(|| {
                set.fill(at as u64); // its own pages from here on
                keep_only(&pipes, at);
                pass_on(pipes[at - 1].0.as_raw_fd(), pipes[at].1.as_raw_fd(), &set)
            })
        });
        let others = others.collect::<io::Result<_>>()?;
        let (last, _) = pipes.swap_remove(processes - 1);
        let (_, first) = pipes.swap_remove(0);
        Ok(Ring { first, last, set: working_set(kib), _others: others })
    }

    /// Sends the token around once.
    fn round(&mut self) {
        must("write to the ring", put(self.first.as_raw_fd()));
        must("read from the ring", get(self.last.as_raw_fd()));
        touch(&self.set);
    }
}

/// Passes the token on until there is nobody left to take it from or give it to.
fn pass_on(from: RawFd, to: RawFd, set: &[u64]) -> i32 {
    while get(from) {
        touch(set);
        if !put(to) {
            break;
        }
    }
    0
}

/// Closes what process `at` does not use, so that it sees its neighbours end.
fn keep_only(pipes: &[Pipe], at: usize) {
    for (number, (reader, writer)) in pipes.iter().enumerate() {
        if number + 1 != at {
            // SAFETY: the child exits without running destructors: nobody uses it again.
            unsafe { libc::close(reader.as_raw_fd()) };
        }
        if number != at {
            // SAFETY: as above.
            unsafe { libc::close(writer.as_raw_fd()) };
        }
    }
}

fn pipes(count: usize) -> io::Result<Vec<Pipe>> {
    (0..count).map(|_| pipe()).collect()
}

fn working_set(kib: usize) -> Vec<u64> {
    vec![1; kib * 1024 / size_of::<u64>()]
}

/// Reads every word of the working set.
fn touch(set: &[u64]) {
    black_box(black_box(set).iter().fold(0u64, |sum, word| sum.wrapping_add(*word)));
}

/// Writes the token, as wide as lmbench's.
fn put(pipe: RawFd) -> bool {
    let token = 0i32;
    let size = size_of_val(&token);
    // SAFETY: pointer and size are of the same variable.
    unsafe { libc::write(pipe, (&raw const token).cast(), size) == size as isize }
}

fn get(pipe: RawFd) -> bool {
    let mut token = 0i32;
    let size = size_of_val(&token);
    // SAFETY: pointer and size are of the same variable.
    unsafe { libc::read(pipe, (&raw mut token).cast(), size) == size as isize }
}
