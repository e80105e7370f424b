//! The disk family: reads and writes past the page cache (`O_DIRECT`) with a fixed number of requests
//! at once, as fio and aio-stress make them, on the disk that the layer was given.
//!
//! Report 1 weighed Xen's disk ring so: 64 KiB, in sequence, `O_DIRECT`. Values are throughput; latencies
//! and the way requests were made stand beside them as counters (docs/schema.md).

pub mod aio_reads;
pub mod randread_4k;
pub mod randwrite_4k;
pub mod read_64k;
pub mod write_64k;

mod aio;
mod buffers;
mod choice;
mod engine;
mod load;
mod plain;
mod target;
#[cfg(target_pointer_width = "64")]
mod uring;

use crate::bench::{Bench, Measured, Own, Refusal};
use tare_proto::Unit;

#[derive(Clone, Copy)]
pub struct Job {
    /// Write, or read.
    write: bool,
    /// Anywhere on the disk, or one after the other.
    random: bool,
    /// Bytes of one request.
    block: usize,
    /// With libaio's calls, whatever else there is.
    aio: bool,
}

/// A row of the family: in bytes or requests a second, at several depths of the queue.
const fn row(
    name: &'static str,
    about: &'static str,
    unit: Unit,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        unit,
        needs: "disk",
        load: "queue depth",
        loads: &[1, 4, 16],
        waits: false,
        ..Bench::own(name, about, "disk", run)
    }
}
