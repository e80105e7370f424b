//! Reading 4 KiB blocks from anywhere on the disk.

use super::{Job, load, row};
use crate::bench::Bench;
use tare_proto::Unit;

const JOB: Job = Job { write: false, random: true, block: 4 << 10, aio: false };

pub const BENCH: Bench = row(
    "disk/randread_4k",
    "4 KiB reads at random places, O_DIRECT, from the layer's own disk",
    Unit::PerSecond,
    |own| load::run(own, &JOB),
);
