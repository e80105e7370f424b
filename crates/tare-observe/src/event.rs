//! One perf event on one CPU (`perf_event_open(2)`).

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use tare_proto::perf_event::{DISABLE, ENABLE, PerfEvent, RESET, SOFTWARE, TRACEPOINT, request};

/// `PERF_COUNT_SW_CPU_CLOCK` and `PERF_COUNT_SW_DUMMY`.
const CPU_CLOCK: u64 = 0;
const DUMMY: u64 = 9;

/// What a record holds (`PERF_SAMPLE_*`): the thread, the time and the CPU; of a tracepoint its own data; of the clock where the code is, and
/// its callers.
const SAMPLE: u64 = 1 << 1 | 1 << 2 | 1 << 7;
const DATA: u64 = 1 << 10;
const CODE: u64 = 1;
const CALLERS: u64 = 1 << 5;
/// What the group has counted until then (`PERF_SAMPLE_READ`), and what that is read with (`PERF_FORMAT_*`): for how long the group was enabled
/// and ran.
const COUNTS: u64 = 1 << 4;
const OF_GROUP: u64 = 1 | 1 << 1 | 1 << 3;

/// Set in a request that is of the whole group.
const GROUP: libc::c_int = 1;

/// Bits of `flags`, by their place in the structure.
const DISABLED: u64 = 1;
const MAPS: u64 = 1 << 8;
const NAMES: u64 = 1 << 9;
const TASKS: u64 = 1 << 13;
const MAPPED_FILES: u64 = 1 << 23;
const IDENTIFY_ALL: u64 = 1 << 18;
const USE_CLOCK: u64 = 1 << 25;
const BUILD_IDS: u64 = 1 << 34;

/// What a leader's flags say.
const LEADS: u64 = DISABLED | MAPS | NAMES | TASKS;

/// The request that sends the records of an event to another one's ring.
const SET_OUTPUT: libc::c_ulong = 0x2405;

/// What makes a record.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// Nothing of its own, but threads that begin and end and the code that they map; it leads the group, which runs while it is enabled.
    Leader,
    /// The same, which also tells by what a mapped file is known again; a kernel before 5.12 tells it by its device and number alone.
    LeaderOfLooks,
    /// Every passage of a tracepoint.
    Tracepoint(u64),
    /// The CPU's clock, every so many nanoseconds.
    Clock(u64),
    /// None: it counts, by its kind and number.
    Counter(u32, u64),
    /// A tracepoint whose records hold what the group has counted.
    CountedPoint(u64),
    /// The CPU's clock, likewise.
    CountedClock(u64),
}

/// Opens an event on `cpu`, for all threads there, as a member of the group of `leader`.
pub(crate) fn open(source: Source, cpu: u32, leader: Option<&OwnedFd>) -> io::Result<OwnedFd> {
    let common = PerfEvent {
        sample: SAMPLE,
        flags: IDENTIFY_ALL | USE_CLOCK,
        clock: libc::CLOCK_MONOTONIC,
        ..PerfEvent::default()
    };
    let counting = PerfEvent { sample: SAMPLE | COUNTS, read: OF_GROUP, ..common };
    let opened = match source {
        Source::Leader => {
            PerfEvent { kind: SOFTWARE, event: DUMMY, flags: common.flags | LEADS, ..common }
        }
        Source::LeaderOfLooks => {
            let told = |more| PerfEvent {
                kind: SOFTWARE,
                event: DUMMY,
                flags: common.flags | LEADS | MAPPED_FILES | more,
                ..common
            };
            let opened = told(BUILD_IDS).open(-1, cpu as libc::c_int, leader);
            match opened {
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => told(0),
                opened => return opened,
            }
        }
        Source::Tracepoint(id) => {
            PerfEvent { kind: TRACEPOINT, event: id, period: 1, sample: SAMPLE | DATA, ..common }
        }
        Source::Counter(kind, event) => PerfEvent { kind, event, sample: 0, ..common },
        Source::CountedPoint(id) => {
            PerfEvent { kind: TRACEPOINT, event: id, period: 1, ..counting }
        }
        Source::CountedClock(ns) => {
            PerfEvent { kind: SOFTWARE, event: CPU_CLOCK, period: ns, ..counting }
        }
        Source::Clock(ns) => PerfEvent {
            kind: SOFTWARE,
            event: CPU_CLOCK,
            period: ns,
            sample: SAMPLE | CODE | CALLERS,
            ..common
        },
    };
    opened.open(-1, cpu as libc::c_int, leader)
}

/// Sends the records of `event` to the ring of `leader`.
pub(crate) fn share_ring(event: &OwnedFd, leader: &OwnedFd) -> io::Result<()> {
    request(event, SET_OUTPUT, leader.as_raw_fd())
}

/// Lets the group of `leader` run, and count from zero on.
pub(crate) fn enable(leader: &OwnedFd) -> io::Result<()> {
    request(leader, RESET, GROUP)?;
    request(leader, ENABLE, 0)
}

/// Lets it run no longer.
pub(crate) fn disable(leader: &OwnedFd) -> io::Result<()> {
    request(leader, DISABLE, 0)
}
