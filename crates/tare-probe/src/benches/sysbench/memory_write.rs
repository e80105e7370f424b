//! sysbench memory, operation write: blocks of 1 KiB in order, one block shared by all threads.

use super::{block, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "sysbench/memory_write",
    "sysbench memory: write of 1 KiB blocks, word by word, each timed",
    Unit::BytesPerSecond,
    block::write,
);
