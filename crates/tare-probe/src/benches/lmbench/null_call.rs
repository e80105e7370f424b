//! lmbench "null call": one getppid(2).

use super::latency;
use crate::bench::{Bench, Op, Refusal};

pub const BENCH: Bench = latency("lmbench/null_call", "one getppid(2)", prepare);

/// The operation, which the suite `operations` measures too.
pub fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| {
        // SAFETY: getppid has no preconditions.
        unsafe { libc::getppid() };
    }))
}
