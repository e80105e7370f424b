//! lmbench's context switch: a token goes around a ring of processes over pipes, and each process
//! reads its whole working set before it passes the token on.
//!
//! The ring stays on one CPU, as with lmbench's `LMBENCH_SCHED=SINGLE` and as in report 1, which
//! ran kernels for one: a hop between two CPUs is a wake-up, not a switch.
//!
//! [`switches`]: a value is the time of one hop, less what passing the token through a pipe and reading a warm
//! working set cost within one process. lmbench walks the pipes of its largest ring (96) for the
//! latter; here it is as many as the ring has. Where a layer makes system calls dear, that is most of a hop, and
//! what is left is a small difference of large numbers.
//!
//! [`around`]: a value is the time of the whole round, of which nothing is subtracted.

use crate::bench::{Op, Refusal};
use crate::process::{Child, OneCpu};
use crate::sys::{must, pipe};
use std::hint::black_box;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Reading end, writing end.
type Pipe = (OwnedFd, OwnedFd);

/// Bytes of the token with which lmbench's lat_ctx measures switches.
const TOKEN: usize = 4;

/// Most bytes of a token.
const WIDEST: usize = 4;

/// The switches of a ring of `PROCESSES` with `KIB` KiB each.
pub fn switches<const PROCESSES: usize, const KIB: usize>() -> Result<Op, Refusal> {
    let round = rounds(PROCESSES, KIB, TOKEN)?;
    let alone = pipes(PROCESSES)?;
    let set = working_set(KIB);
    let within_one_process = move || {
        for (reader, writer) in &alone {
            must("write to a pipe", put(writer.as_raw_fd(), TOKEN));
            must("read from a pipe", get(reader.as_raw_fd(), TOKEN));
            touch(&set);
        }
    };
    Ok(Op::new(round).minus(within_one_process).divided_by(PROCESSES as f64))
}

/// A token of `BYTES` bytes once around a ring of `PROCESSES`, which touch nothing.
pub fn around<const PROCESSES: usize, const BYTES: usize>() -> Result<Op, Refusal> {
    Ok(Op::new(rounds(PROCESSES, 0, BYTES)?))
}

/// Rounds of a ring that stays on one CPU until this is dropped.
fn rounds(processes: usize, kib: usize, token: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let pinned = OneCpu::pin()
        .map_err(|e| Refusal::Unavailable(format!("the ring cannot stay on one CPU: {e}")))?;
    let mut ring = Ring::start(processes, kib, token)?;
    ring.round();
    Ok(move || {
        let _until_dropped = &pinned;
        ring.round();
    })
}

/// This process's part of a ring. Dropping it ends the others: first their pipes, then they.
struct Ring {
    first: OwnedFd,
    last: OwnedFd,
    set: Vec<u64>,
    /// Bytes of the token.
    token: usize,
    _others: Vec<Child>,
}

impl Ring {
    fn start(processes: usize, kib: usize, token: usize) -> io::Result<Ring> {
        let mut pipes = pipes(processes)?;
        let others = (1..processes).map(|at| {
            let mut set = working_set(kib);
            Child::start(|| {
                set.fill(at as u64); // its own pages from here on
                keep_only(&pipes, at);
                let (from, to) = (pipes[at - 1].0.as_raw_fd(), pipes[at].1.as_raw_fd());
                pass_on(from, to, token, &set)
            })
        });
        let others = others.collect::<io::Result<_>>()?;
        let (last, _) = pipes.swap_remove(processes - 1);
        let (_, first) = pipes.swap_remove(0);
        Ok(Ring { first, last, set: working_set(kib), token, _others: others })
    }

    /// Sends the token around once.
    fn round(&mut self) {
        must("write to the ring", put(self.first.as_raw_fd(), self.token));
        must("read from the ring", get(self.last.as_raw_fd(), self.token));
        touch(&self.set);
    }
}

/// Passes the token on until there is nobody left to take it from or give it to.
fn pass_on(from: RawFd, to: RawFd, token: usize, set: &[u64]) -> i32 {
    while get(from, token) {
        touch(set);
        if !put(to, token) {
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

/// Writes a token of `size` bytes.
fn put(pipe: RawFd, size: usize) -> bool {
    let token = [0u8; WIDEST];
    let token = &token[..size];
    // SAFETY: pointer and size are of the same slice.
    unsafe { libc::write(pipe, token.as_ptr().cast(), size) == size as isize }
}

fn get(pipe: RawFd, size: usize) -> bool {
    let mut token = [0u8; WIDEST];
    let token = &mut token[..size];
    // SAFETY: pointer and size are of the same slice.
    unsafe { libc::read(pipe, token.as_mut_ptr().cast(), size) == size as isize }
}
