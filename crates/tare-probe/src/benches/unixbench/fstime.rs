//! UnixBench "File Copy 1024 bufsize 2000 maxblocks".

use super::{KBPS, LONG, copy, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/fstime",
    "File Copy (KBps): 1024 bytes at a time from one file of 2000 KiB to another",
    Unit::BytesPerSecond,
    LONG,
    |own| copy::against::<1024, 2000>(3960.0 * KBPS, own),
);
