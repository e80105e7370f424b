//! lmbench "Pipe latency": one byte goes to another process and back through two pipes.
//!
//! Both processes stay on one CPU, as those of the other rings do, so a value is two switches with the system calls
//! that cause them, whole: nothing is subtracted.

use super::{latency, ring};
use crate::bench::Bench;

pub const BENCH: Bench = latency(
    "lmbench/pipe",
    "a byte to another process and back through two pipes, on one CPU, nothing subtracted",
    ring::around::<2, 1>,
);
