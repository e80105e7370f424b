//! Perf events of this process and its children while some work runs: what the layer's kernel counts of it, user and
//! kernel apart, as far as it lets us. Software events are there where perf is; hardware events are rare in guests.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::{io, mem};
use tare_proto::Counter;
use tare_proto::counter::{HARDWARE_ERRNO, PERF};
pub use tare_proto::perf_event::TRACEPOINT;
use tare_proto::perf_event::{DISABLE, ENABLE, HARDWARE, PerfEvent, RESET, SOFTWARE, request};

const CACHE: u32 = 3;

/// A miss when reading, of the first-level data cache (0), the data (3) or the instruction TLB (4).
const fn read_miss(of: u64) -> u64 {
    of | 1 << 16
}

/// Type, number and name of what is counted in user and in kernel mode apart (`linux/perf_event.h`).
const HARDWARE_EVENTS: &[(u32, u64, &str)] = &[
    (HARDWARE, 0, "cycles"),
    (HARDWARE, 1, "instructions"),
    (HARDWARE, 3, "cache_misses"),
    (CACHE, read_miss(0), "l1d_misses"),
    (CACHE, read_miss(3), "dtlb_misses"),
    (CACHE, read_miss(4), "itlb_misses"),
];

/// What the kernel itself counts.
const SOFTWARE_EVENTS: &[(u32, u64, &str)] = &[
    (SOFTWARE, 1, "task_clock_ns"),
    (SOFTWARE, 2, "page_faults"),
    (SOFTWARE, 3, "context_switches"),
    (SOFTWARE, 4, "migrations"),
];

const EXCLUDE_USER: u64 = 1 << 4;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;

/// Requests to an event beside those that start, stop and reset it (`linux/perf_event.h`).
const PERIOD: libc::c_ulong = 0x4008_2404;
const FILTER: libc::c_ulong = 0x4008_2406;

/// An event that is being counted.
struct Event {
    name: String,
    fd: OwnedFd,
}

/// Events that are counted from when they are opened on.
pub struct Events {
    open: Vec<Event>,
    /// Why the first hardware event could not be opened.
    refused: Option<i32>,
}

impl Events {
    /// Opens what can be opened.
    pub fn open() -> Events {
        let mut events = Events { open: Vec::new(), refused: None };
        for (kind, event, name) in SOFTWARE_EVENTS {
            // An ordinary user may count only what is not the kernel's.
            let any =
                open(0, *kind, *event, 0, 0).or_else(|_| open(0, *kind, *event, 0, EXCLUDE_KERNEL));
            events.open.extend(any.ok().map(|fd| Event { name: format!("{PERF}{name}"), fd }));
        }
        for (mode, other) in [("user", EXCLUDE_KERNEL), ("kernel", EXCLUDE_USER)] {
            for (kind, event, name) in HARDWARE_EVENTS {
                let name = format!("{PERF}{mode}/{name}");
                match open(0, *kind, *event, 0, other | EXCLUDE_HYPERVISOR) {
                    Ok(fd) => events.open.push(Event { name, fd }),
                    Err(e) => events.refused = events.refused.or(e.raw_os_error()),
                }
            }
        }
        events
    }

    /// The same, but nothing is counted before [`Events::go_on`].
    pub fn stopped() -> Events {
        let events = Events::open();
        events.stop();
        events.control(RESET);
        events
    }

    /// Counts from here on.
    pub fn go_on(&self) {
        self.control(ENABLE);
    }

    /// Counts nothing until [`Events::go_on`].
    pub fn stop(&self) {
        self.control(DISABLE);
    }

    /// Of an event that cannot be controlled the count is missed, or too high; the kernel has no such event.
    fn control(&self, what: libc::c_ulong) {
        for event in &self.open {
            let _ = request(&event.fd, what, 0);
        }
    }

    /// What has been counted since, divided by `operations`; and why there is no more.
    pub fn counted(&self, operations: f64) -> Vec<Counter> {
        let read = self.open.iter().filter_map(|e| Some((&e.name, read(&e.fd)?)));
        let counted = read.map(|(name, count)| Counter::new(name, count / operations));
        let refused = self.refused.map(|e| Counter::new(HARDWARE_ERRNO, f64::from(e)));
        counted.chain(refused).collect()
    }
}

/// The kernel sends the counted thread, and none that it starts, a SIGTRAP after every period, until it starts another program.
pub const TRAPS: u64 = 1 << 36 | 1 << 37;

/// Opens an event of thread `tid`, or of this process (0), on any CPU, what it starts from here on included unless it
/// [`TRAPS`]. It is read with the time that it was enabled and the time that it was counted; `flags` say what is not counted, and
/// what happens after every `period`.
pub fn open(
    tid: libc::pid_t,
    kind: u32,
    event: u64,
    period: u64,
    flags: u64,
) -> io::Result<OwnedFd> {
    let inherited = if flags & TRAPS == TRAPS { 0 } else { 1 << 1 };
    let opened = PerfEvent {
        kind,
        event,
        period,
        read: 1 | 2,
        flags: inherited | flags,
        ..PerfEvent::default()
    };
    opened.open(tid, -1, None)
}

/// Changes the period of an event whose thread is stopped; the next one begins here.
pub fn set_period(fd: &OwnedFd, period: u64) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the request reads the number.
    let set = unsafe { libc::ioctl(fd.as_raw_fd(), PERIOD as _, &raw const period) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Counts from here on only what `condition` holds of, in the kernel's words about a tracepoint's fields.
pub fn set_filter(fd: &OwnedFd, condition: &CStr) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the request reads the text up to its end.
    let set = unsafe { libc::ioctl(fd.as_raw_fd(), FILTER as _, condition.as_ptr()) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The count, scaled up where the counter was shared; `None` when it never counted.
pub fn read(fd: &OwnedFd) -> Option<f64> {
    let mut values = [0u64; 3];
    let size = mem::size_of_val(&values);
    // SAFETY: the buffer has room for `size` bytes.
    let got = unsafe { libc::read(fd.as_raw_fd(), values.as_mut_ptr().cast(), size) };
    let [count, enabled, counted] = values;
    let whole = got == size as isize && counted > 0;
    whole.then(|| count as f64 * (enabled as f64 / counted as f64))
}
