//! Writing 4 KiB blocks to anywhere on the disk.

use super::{Job, load, row};
use crate::bench::Bench;
use tare_proto::Unit;

const JOB: Job = Job { write: true, random: true, block: 4 << 10, aio: false };

pub const BENCH: Bench = row(
    "disk/randwrite_4k",
    "4 KiB writes at random places, O_DIRECT, to the layer's own disk",
    Unit::PerSecond,
    |own| load::run(own, &JOB),
);
