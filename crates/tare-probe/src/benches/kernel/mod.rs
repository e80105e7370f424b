//! The in-house kernel loops of report 1, as far as it describes them.
//!
//! It prints the seconds of a whole loop (1,000,000 times 10 getppid, 3,000,000 faults, 40,000
//! forks); here a value is one turn of the loop.

pub mod divzero;
pub mod forkwaitn;
pub mod getppid;
pub mod segv;

use crate::bench::{Bench, Op, Refusal};

/// A row of the family: one turn of a loop, reduced as report 1 did.
const fn turn(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    Bench::vmi(name, about, ("best-3-of-5", 5), prepare)
}
