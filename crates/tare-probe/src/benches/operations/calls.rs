//! Calls that touch no file by its name and wait for nobody.

use super::{lacking, row};
use crate::bench::{Bench, Op, Refusal};
use crate::benches::lmbench::{null_call, sig_catch};
use crate::sys::{check, must, pipe};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

pub const ROWS: &[Bench] = &[
    row("operations/null", "one getppid(2): a call about the process itself", || {
        let counters = lacking::counters();
        let op = null_call::prepare()?;
        Ok(counters.iter().fold(op, |op, lacks| op.counting(lacks, 1.0)))
    }),
    row(
        "operations/clock",
        "the monotonic clock is read, by a system call only if there is no other way",
        || Ok(Op::new(clock)),
    ),
    row("operations/descriptor", "one fstat(2) of a pipe: a call about an open file", fstat),
    row("operations/ioctl", "one ioctl(2), FIONREAD of a pipe", ioctl),
    row(
        "operations/timer",
        "a timer is set and stopped, by timerfd_settime(2); half of both",
        timer,
    ),
    row(
        "operations/signal",
        "a signal to oneself, caught, and the return from its handler",
        || Ok(Op::new(sig_catch::catch()?).minus(sig_catch::send(0))),
    ),
];

fn clock() {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    must("clock_gettime", unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) } == 0);
}

fn fstat() -> Result<Op, Refusal> {
    let (reader, _writer) = pipe()?;
    let mut about = MaybeUninit::<libc::stat>::uninit();
    Ok(Op::new(move || {
        // SAFETY: `about` is a valid place to write to.
        must("fstat", unsafe { libc::fstat(reader.as_raw_fd(), about.as_mut_ptr()) } == 0);
    }))
}

fn ioctl() -> Result<Op, Refusal> {
    let (reader, writer) = pipe()?;
    let mut bytes: libc::c_int = 0;
    Ok(Op::new(move || {
        let _keep = &writer;
        // SAFETY: this request writes an int.
        let done = unsafe { libc::ioctl(reader.as_raw_fd(), libc::FIONREAD, &raw mut bytes) };
        must("ioctl", done == 0);
    }))
}

fn timer() -> Result<Op, Refusal> {
    // SAFETY: timerfd_create takes two numbers.
    let fd = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC) };
    let fd = check("timerfd_create", fd)?;
    // SAFETY: it has just been opened, and nobody else owns it.
    let timer = unsafe { OwnedFd::from_raw_fd(fd) };
    let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let set = move |seconds| {
        let after = libc::timespec { tv_sec: seconds, tv_nsec: 0 };
        let when = libc::itimerspec { it_interval: none, it_value: after };
        let fd = timer.as_raw_fd();
        // SAFETY: `when` is valid for the call; the former time is not asked for.
        must(
            "timerfd_settime",
            unsafe { libc::timerfd_settime(fd, 0, &when, ptr::null_mut()) } == 0,
        );
    };
    let both = move || {
        set(1000);
        set(0);
    };
    Ok(Op::new(both).divided_by(2.0))
}
