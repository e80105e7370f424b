//! UnixBench "File Copy 256 bufsize 500 maxblocks".

use super::{KBPS, LONG, against, copy, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/fsbuffer",
    "File Copy (KBps): 256 bytes at a time from one file of 500 blocks to another",
    Unit::BytesPerSecond,
    LONG,
    |own| {
        copy::fits(256 * 500, own.load)?;
        against(1655.0 * KBPS, own, copy::prepare::<256, 500>)
    },
);
