//! lmbench "2p/64K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_2p_64k",
    "one context switch in a ring of 2 processes, each touching 64 KiB",
    ring::switches::<2, 64>,
);
