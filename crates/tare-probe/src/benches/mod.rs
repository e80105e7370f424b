//! The table of benchmarks: one file and one row each. `tare list`, reports, docs and tests read it.

mod lmbench;

use crate::bench::{Bench, Suite};

/// Every suite.
pub const SUITES: &[Suite] = &[Suite {
    name: "vmi",
    about: "single kernel operations: lmbench latencies and kernel loops, as VMware weighed its VMI",
}];

/// Every benchmark, in the order that scoreboards show.
pub const ALL: &[&Bench] = &[&lmbench::null_call::BENCH];

/// The benchmark named `name`.
pub fn find(name: &str) -> Option<&'static Bench> {
    ALL.iter().copied().find(|bench| bench.name == name)
}
