//! lmbench "8p/16K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_8p_16k",
    "one context switch in a ring of 8 processes, each touching 16 KiB",
    ring::switches::<8, 16>,
);
