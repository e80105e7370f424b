//! The `aim7` suite: the 53 tests of the AIM Multiuser Benchmark (suite VII) as report 002 ran them, and its
//! multiuser mix. tare's own implementation, written from what the tests' names and printed units mean: its
//! results are not AIM's.
//!
//! A job is one run of a test and holds as many operations as one loop of AIM's does: operations a second over
//! loops a second, as its printed results give them (for example S. Adiga, linux-kernel, 17 December 2002);
//! only the synchronous writes are fewer ([`files`]).
//! How often the mix does each job is the shared (multiuser) mix's: 30, 20 or 10 of 780, here 3, 2 or 1.

pub mod arithmetic;
pub mod calls;
pub mod directories;
pub mod files;
pub mod jump;
pub mod memory;
pub mod messages;
pub mod mix;
pub mod numeric;
pub mod processes;
pub mod text;

mod room;
#[cfg(target_arch = "x86_64")]
mod tracer;

use crate::bench::{Bench, COPIES, Kind, Op, Refusal};
use tare_proto::{Better, Unit};

/// The suite's name.
pub const SUITE: &str = "aim7";

/// The counter that says how often the mix does a job, for which a report multiplies what it costs.
pub const WEIGHT: &str = "weight";

/// Every test, in families.
pub const TESTS: &[&[Bench]] = &[
    arithmetic::ROWS,
    numeric::ROWS,
    text::ROWS,
    memory::ROWS,
    processes::ROWS,
    files::ROWS,
    directories::ROWS,
    messages::ROWS,
];

/// A row of the suite: the time of one job. A hundred samples when there is time for them, as in report 002.
const fn test(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    Bench {
        name,
        about,
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        suite: SUITE,
        estimator: "median",
        samples: 100,
        needs: "",
        load: COPIES,
        loads: &[1],
        series_ms: 250,
        waits: true,
        kind: Kind::Loop(prepare),
    }
}

/// `work` as a job that the mix does `weight` times.
fn job(weight: f64, work: impl FnMut() + 'static) -> Result<Op, Refusal> {
    Ok(Op::new(work).counting(WEIGHT, weight))
}
