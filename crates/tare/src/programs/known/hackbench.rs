//! Report 004's scheduler load: processes that send each other messages.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "hackbench",
    about: "hackbench of rt-tests: groups of 40 processes, 150 messages of each pair",
    packages: &["rt-tests"],
    command: "hackbench -g $LOAD -l 150",
    metric: Some(("^Time: ([0-9.]+)", "s")),
    load: ("groups", &[1]),
    ..PLAIN
};
