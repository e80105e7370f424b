//! hackbench with processes, pipes.

use super::group::Tasks;
use super::link::Link;
use super::{measure, row};
use crate::bench::Bench;

pub const BENCH: Bench = row(
    "hackbench/process_pipe",
    "hackbench: 20 senders and 20 receivers a group, 100 messages each: processes, pipes",
    |own| measure(own, Tasks::Processes, Link::Pipe),
);
