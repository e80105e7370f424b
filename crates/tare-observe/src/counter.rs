//! Events that are counted without a record of each.

use tare_proto::outside::{CACHE_MISSES, CYCLES, INSTRUCTIONS};
use tare_proto::perf_event::HARDWARE;

/// Something that a perf event counts, by the kernel's numbers (`linux/perf_event.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// Its name in figures.
    pub name: &'static str,
    /// The kind of event.
    pub kind: u32,
    /// Which of that kind.
    pub event: u64,
}

/// What every processor with counters counts, all at the same time: user mode, the kernel and guests together.
pub const PROCESSOR: &[Counter] = &[
    Counter { name: CYCLES, kind: HARDWARE, event: 0 },
    Counter { name: INSTRUCTIONS, kind: HARDWARE, event: 1 },
    Counter { name: CACHE_MISSES, kind: HARDWARE, event: 3 },
];
