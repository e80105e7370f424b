//! Calls under a seccomp filter, and the same calls without one, each of a child that is asked through a pipe.

use super::call;
use crate::bench::{Op, Refusal};
use crate::process::{Child, OneCpu};
use crate::sys::{must, pipe};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Steps of the filter, and calls that a child makes when it is asked.
const STEPS: usize = 1000;
const CALLS: u32 = 100;

/// Where `struct seccomp_data` has the first argument: a kernel that knows which calls a filter always allows must read it all the same.
const ARGUMENT_AT: u32 = 16;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

pub fn prepare() -> Result<Op, Refusal> {
    let pinned = OneCpu::pin()
        .map_err(|e| Refusal::Unavailable(format!("both cannot stay on one CPU: {e}")))?;
    let (filtered, bare) = (Asked::start(true)?, Asked::start(false)?);
    filtered.ask().map_err(|_| Refusal::Unavailable("seccomp(2) is refused here".into()))?;
    let with = move || {
        let _until_dropped = &pinned;
        must("ask a child", filtered.ask().is_ok());
    };
    Ok(Op::new(with).minus(move || must("ask a child", bare.ask().is_ok())))
}

/// A child that waits to be asked; it ends when this is dropped.
struct Asked {
    to: OwnedFd,
    from: OwnedFd,
    _child: Child,
}

impl Asked {
    fn start(filtered: bool) -> io::Result<Asked> {
        let (own, to) = pipe()?;
        let (from, back) = pipe()?;
        let filter = steps();
        let child = Child::start(|| {
            // Its own end of what it reads from, so that it sees the other one closed.
            // SAFETY: the child exits without running destructors: nobody uses it again.
            unsafe { libc::close(to.as_raw_fd()) };
            if filtered && enter(&filter).is_err() {
                return 1;
            }
            while get(own.as_raw_fd()) {
                (0..CALLS).for_each(|_| call());
                if !put(back.as_raw_fd()) {
                    break;
                }
            }
            0
        })?;
        Ok(Asked { to, from, _child: child })
    }

    fn ask(&self) -> io::Result<()> {
        let answered = put(self.to.as_raw_fd()) && get(self.from.as_raw_fd());
        if answered { Ok(()) } else { Err(io::Error::other("the child has ended")) }
    }
}

fn put(pipe: RawFd) -> bool {
    // SAFETY: one byte is read from where there is one.
    unsafe { libc::write(pipe, [0u8].as_ptr().cast(), 1) == 1 }
}

fn get(pipe: RawFd) -> bool {
    let mut byte = [0u8];
    // SAFETY: there is room for one byte.
    unsafe { libc::read(pipe, byte.as_mut_ptr().cast(), 1) == 1 }
}

/// A filter that looks at an argument many times and allows the call.
fn steps() -> Vec<libc::sock_filter> {
    let step = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
    let mut steps = vec![step(LOAD, ARGUMENT_AT)];
    steps.extend((2..STEPS as u32).map(|at| step(EQUAL, at)));
    steps.push(step(RETURN, libc::SECCOMP_RET_ALLOW));
    steps
}

/// Puts this process under the filter. Only makes system calls.
fn enter(filter: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: this request takes numbers alone.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: the program and its steps outlive the call, which only reads them.
    match unsafe {
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
    } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
