//! UnixBench "File Copy 1024 bufsize 2000 maxblocks".

use super::{KBPS, LONG, against, copy, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/fstime",
    "File Copy (KBps): 1024 bytes at a time from one file of 2000 blocks to another",
    Unit::BytesPerSecond,
    LONG,
    |own| {
        copy::fits(1024 * 2000, own.load)?;
        against(3960.0 * KBPS, own, copy::prepare::<1024, 2000>)
    },
);
