//! lmbench "2p/0K ctxsw".

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ctx_2p_0k",
    "one context switch in a ring of 2 processes, touching nothing",
    ring::switches::<2, 0>,
);
