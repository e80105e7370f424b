//! lmbench "null call": one getppid(2).

use crate::bench::{Bench, Kind, Op, Refusal};
use tare_proto::{Better, Unit};

pub const BENCH: Bench = Bench {
    name: "lmbench/null_call",
    about: "one getppid(2)",
    unit: Unit::Nanoseconds,
    better: Better::Lower,
    suite: "vmi",
    estimator: "best-18-of-30",
    samples: 30,
    kind: Kind::Loop(prepare),
};

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| {
        // SAFETY: getppid has no preconditions.
        unsafe { libc::syscall(libc::SYS_getppid) };
    }))
}
