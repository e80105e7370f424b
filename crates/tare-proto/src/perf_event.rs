//! Perf events (`perf_event_open(2)`, `linux/perf_event.h`), as the probe and the host open them.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::{io, mem};

/// The kind of event that the processor counts.
pub const HARDWARE: u32 = 0;
/// The kind of event that the kernel counts by itself.
pub const SOFTWARE: u32 = 1;
/// The kind of event that is a tracepoint.
pub const TRACEPOINT: u32 = 2;

/// Requests to an event: count from here on, or no longer.
pub const ENABLE: libc::c_ulong = 0x2400;
/// See [`ENABLE`].
pub const DISABLE: libc::c_ulong = 0x2401;

/// A request to an event: its count is zero again.
pub const RESET: libc::c_ulong = 0x2403;

/// `PERF_EVENT_IOC_SET_FILTER`.
const SET_FILTER: libc::c_ulong = 0x4008_2406;

/// The descriptor is closed when its process becomes another program.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// What `perf_event_open` is told: the fifth version of its structure, of Linux 4.1, the first one with `clock`. An older kernel takes it
/// as well, as long as what it does not know is zero.
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

/// An event, by the kernel's numbers; what is not said is zero.
#[derive(Debug, Clone, Copy, Default)]
pub struct PerfEvent {
    /// Its kind: [`SOFTWARE`], [`TRACEPOINT`], or another of the kernel's.
    pub kind: u32,
    /// Which of that kind.
    pub event: u64,
    /// After how many of them, or nanoseconds of a clock, something is done.
    pub period: u64,
    /// What a record holds (`PERF_SAMPLE_*`).
    pub sample: u64,
    /// What is read beside the count (`PERF_FORMAT_*`).
    pub read: u64,
    /// The bits behind these in the kernel's structure.
    pub flags: u64,
    /// The clock that records have, where the flags ask for one.
    pub clock: libc::clockid_t,
}

impl PerfEvent {
    /// Opens the event of thread `tid` (0: this process, -1: every thread) on `cpu` (-1: any), in the group of `leader`.
    ///
    /// # Errors
    /// The kernel's.
    pub fn open(
        self,
        tid: libc::pid_t,
        cpu: libc::c_int,
        leader: Option<&OwnedFd>,
    ) -> io::Result<OwnedFd> {
        let PerfEvent { kind, event, period, sample, read, flags, clock } = self;
        let size = mem::size_of::<Attributes>() as u32;
        let own = Attributes {
            kind,
            size,
            event,
            period,
            sample,
            read,
            flags,
            clock,
            ..Default::default()
        };
        let group = leader.map_or(-1, AsRawFd::as_raw_fd);
        // SAFETY: the structure is as long as its `size` says and outlives the call.
        let fd = unsafe {
            libc::syscall(libc::SYS_perf_event_open, &raw const own, tid, cpu, group, CLOSE_ON_EXEC)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a descriptor that the kernel has just made for us.
        Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
    }
}

/// Lets the event of a tracepoint happen only where `filter` is true of its fields (`prev_state & 3`).
///
/// # Errors
/// The kernel's.
pub fn filter(event: &OwnedFd, filter: &CStr) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the kernel copies the text before the call returns.
    let done = unsafe { libc::ioctl(event.as_raw_fd(), SET_FILTER as _, filter.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Asks something of an `event` that needs no memory, with a number.
///
/// # Errors
/// The kernel's.
pub fn request(event: &OwnedFd, what: libc::c_ulong, number: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the requests of this module take a number or nothing.
    let done = unsafe { libc::ioctl(event.as_raw_fd(), what as _, number) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
