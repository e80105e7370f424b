//! A token once around lmbench's ring of 8 processes: eight switches with the system calls that cause them, whole.
//! The rows of single switches subtract the latter.

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/ring_8p",
    "a token once around a ring of 8 processes over pipes, on one CPU, nothing subtracted",
    ring::around::<8, 4>,
);
