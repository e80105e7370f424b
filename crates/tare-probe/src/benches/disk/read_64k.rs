//! Reading one 64 KiB block after the other: report 1's load on Xen's disk ring.

use super::{Job, load, row};
use crate::bench::Bench;
use tare_proto::Unit;

const JOB: Job = Job { write: false, random: false, block: 64 << 10, aio: false };

pub const BENCH: Bench = row(
    "disk/read_64k",
    "64 KiB reads in sequence, O_DIRECT, from the layer's own disk",
    Unit::BytesPerSecond,
    |own| load::run(own, &JOB),
);
