//! UnixBench "File Copy 4096 bufsize 8000 maxblocks".

use super::{KBPS, LONG, copy, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/fsdisk",
    "File Copy (KBps): 4096 bytes at a time from one file of 8000 KiB to another",
    Unit::BytesPerSecond,
    LONG,
    |own| copy::against::<4096, 8000>(5800.0 * KBPS, own),
);
