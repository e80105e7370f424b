//! One perf event on one CPU (`perf_event_open(2)`).

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::{io, mem};

const SOFTWARE: u32 = 1;
const TRACEPOINT: u32 = 2;

/// `PERF_COUNT_SW_CPU_CLOCK` and `PERF_COUNT_SW_DUMMY`.
const CPU_CLOCK: u64 = 0;
const DUMMY: u64 = 9;

/// What a record holds: the thread, the time, the CPU, the tracepoint's own data.
const SAMPLE: u64 = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 10;

/// Bits of `flags`, by their place in the structure.
const DISABLED: u64 = 1;
const NAMES: u64 = 1 << 9;
const TASKS: u64 = 1 << 13;
const IDENTIFY_ALL: u64 = 1 << 18;
const USE_CLOCK: u64 = 1 << 25;

const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// Requests to an event (`linux/perf_event.h`).
const ENABLE: libc::c_ulong = 0x2400;
const DISABLE: libc::c_ulong = 0x2401;
const SET_OUTPUT: libc::c_ulong = 0x2405;

/// The fifth version of the structure, of Linux 4.1: the first one with `clock`.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    event: u64,
    period: u64,
    sample: u64,
    read: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    address: u64,
    length: u64,
    branches: u64,
    user_registers: u64,
    user_stack: u32,
    clock: i32,
    registers: u64,
    watermark: u32,
    most_frames: u16,
    reserved: u16,
}

/// What makes a record.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// Nothing of its own, but threads that begin and end; it leads the group, which runs while it is enabled.
    Leader,
    /// Every passage of a tracepoint.
    Tracepoint(u64),
    /// The CPU's clock, every so many nanoseconds.
    Clock(u64),
}

/// Opens an event on `cpu`, for all threads there, as a member of the group of `leader`.
pub(crate) fn open(source: Source, cpu: u32, leader: Option<&OwnedFd>) -> io::Result<OwnedFd> {
    let (kind, event, period, own) = match source {
        Source::Leader => (SOFTWARE, DUMMY, 0, DISABLED | NAMES | TASKS),
        Source::Tracepoint(id) => (TRACEPOINT, id, 1, 0),
        Source::Clock(ns) => (SOFTWARE, CPU_CLOCK, ns, 0),
    };
    let attributes = Attributes {
        kind,
        size: mem::size_of::<Attributes>() as u32,
        event,
        period,
        sample: SAMPLE,
        flags: own | IDENTIFY_ALL | USE_CLOCK,
        clock: libc::CLOCK_MONOTONIC,
        ..Attributes::default()
    };
    let group = leader.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: the structure is as long as its `size` says and outlives the call.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            -1,
            cpu,
            group,
            CLOSE_ON_EXEC,
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that the kernel has just made for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Sends the records of `event` to the ring of `leader`.
pub(crate) fn share_ring(event: &OwnedFd, leader: &OwnedFd) -> io::Result<()> {
    // SAFETY: both descriptors are open, and the request takes a number.
    let done = unsafe { libc::ioctl(event.as_raw_fd(), SET_OUTPUT as _, leader.as_raw_fd()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Lets the group of `leader` run, or not.
pub(crate) fn run(leader: &OwnedFd, on: bool) -> io::Result<()> {
    let request = if on { ENABLE } else { DISABLE };
    // SAFETY: the descriptor is open, and the request has no memory.
    let done = unsafe { libc::ioctl(leader.as_raw_fd(), request as _, 0) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
