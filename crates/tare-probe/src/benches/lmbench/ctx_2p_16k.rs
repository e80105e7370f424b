//! lmbench "2p/16K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_2p_16k",
    "one context switch in a ring of 2 processes, each touching 16 KiB",
    ring::switches::<2, 16>,
);
