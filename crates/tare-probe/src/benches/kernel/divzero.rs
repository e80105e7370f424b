//! A division by zero delivered as SIGFPE and recovered from by a handler that steps over it.

use super::turn;
use crate::bench::{Bench, Op, Refusal};
use crate::trap;

pub const BENCH: Bench =
    turn("kernel/divzero", "a division by zero: trap, SIGFPE, handler, return", prepare);

fn prepare() -> Result<Op, Refusal> {
    if !trap::DIVISION_TRAPS {
        let why = format!("{} does not trap a division by zero", std::env::consts::ARCH);
        return Err(Refusal::Unavailable(why));
    }
    let handler = trap::recover_from(libc::SIGFPE)?;
    Ok(Op::new(move || {
        let _restores = &handler;
        trap::divide_by_zero();
    }))
}
