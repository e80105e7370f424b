//! Which system calls the mix makes, and how often: one user's jobs once, stopped at every call. It is a pass of
//! its own, since nothing that is traced can be timed, and a suite of its own, since its ratios are all 1.

#[cfg(target_arch = "x86_64")]
use super::tracer::count;
use crate::bench::{Bench, Kind};
use tare_proto::{Better, Unit};

/// The suite's name.
pub const SUITE: &str = "aim7-calls";

pub const ROWS: &[Bench] = &[Bench {
    name: "aim7/syscalls",
    about: "system calls that a user's jobs of the mix make, by ptrace(2); counted, not timed",
    unit: Unit::Number,
    better: Better::Lower,
    suite: SUITE,
    estimator: "mean",
    samples: 1,
    needs: "",
    load: "",
    loads: &[1],
    series_ms: 10_000,
    waits: false,
    kind: Kind::Own(count),
}];

#[cfg(not(target_arch = "x86_64"))]
fn count(_: &crate::bench::Own) -> crate::bench::Taken {
    Err(crate::bench::Refusal::Unavailable("the calls' numbers are known on x86-64 only".into()))
}
