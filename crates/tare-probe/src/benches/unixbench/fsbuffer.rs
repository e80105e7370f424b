//! UnixBench "File Copy 256 bufsize 500 maxblocks".

use super::{KBPS, LONG, copy, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/fsbuffer",
    "File Copy (KBps): 256 bytes at a time from one file of 500 KiB to another",
    Unit::BytesPerSecond,
    LONG,
    |own| copy::against::<256, 500>(1655.0 * KBPS, own),
);
