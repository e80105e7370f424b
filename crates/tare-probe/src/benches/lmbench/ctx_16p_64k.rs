//! lmbench "16p/64K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_16p_64k",
    "one context switch in a ring of 16 processes, each touching 64 KiB",
    ring::switches::<16, 64>,
);
