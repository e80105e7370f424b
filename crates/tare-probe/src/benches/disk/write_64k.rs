//! Writing one 64 KiB block after the other.

use super::{Job, load, row};
use crate::bench::Bench;
use tare_proto::Unit;

const JOB: Job = Job { write: true, random: false, block: 64 << 10, aio: false };

pub const BENCH: Bench = row(
    "disk/write_64k",
    "64 KiB writes in sequence, O_DIRECT, to the layer's own disk",
    Unit::BytesPerSecond,
    |own| load::run(own, &JOB),
);
