//! Ten getppid(2) in a row, as report 1's loop has them.

use super::turn;
use crate::bench::{Bench, Op, Refusal};

pub const BENCH: Bench = turn("kernel/getppid", "ten getppid(2)", prepare);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| {
        for _ in 0..10 {
            // SAFETY: getppid has no preconditions.
            unsafe { libc::getppid() };
        }
    }))
}
