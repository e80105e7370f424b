//! Reads in sequence with libaio's calls, from 4 KiB to 1 MiB: what report 001's aio-stress did to Xen's disk ring. The engine is
//! fixed, because what splits a request costs another engine more than the request.

use super::{Job, load, row};
use crate::bench::{Bench, Measured, Own, Refusal};
use tare_proto::Unit;

/// The suite of these rows.
pub const SUITE: &str = "pv-disk";

const fn read(
    name: &'static str,
    about: &'static str,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench { suite: SUITE, loads: &[1], ..row(name, about, Unit::BytesPerSecond, run) }
}

/// What is asked of the disk.
const fn of(block: usize) -> Job {
    Job { write: false, random: false, block, aio: true }
}

pub const ROWS: &[Bench] = &[
    read("disk/aio_read_4k", "4 KiB reads in sequence with libaio's calls, O_DIRECT", |own| {
        load::run(own, &of(4 << 10))
    }),
    read("disk/aio_read_64k", "64 KiB reads in sequence with libaio's calls, O_DIRECT", |own| {
        load::run(own, &of(64 << 10))
    }),
    read("disk/aio_read_256k", "256 KiB reads in sequence with libaio's calls, O_DIRECT", |own| {
        load::run(own, &of(256 << 10))
    }),
    read("disk/aio_read_1m", "1 MiB reads in sequence with libaio's calls, O_DIRECT", |own| {
        load::run(own, &of(1 << 20))
    }),
];
