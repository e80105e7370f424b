//! lmbench "16p/16K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_16p_16k",
    "one context switch in a ring of 16 processes, each touching 16 KiB",
    ring::switches::<16, 16>,
);
