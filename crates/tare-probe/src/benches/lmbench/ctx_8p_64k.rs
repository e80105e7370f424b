//! lmbench "8p/64K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_8p_64k",
    "one context switch in a ring of 8 processes, each touching 64 KiB",
    ring::switches::<8, 64>,
);
