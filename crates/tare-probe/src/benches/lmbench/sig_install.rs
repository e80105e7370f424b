//! lmbench "sig inst": sigaction(2) that installs a handler and asks for the former one.

use super::latency;
use super::sig_catch::catcher;
use crate::bench::{Bench, Op, Refusal};
use crate::signals::action;
use crate::sys::must;

pub const BENCH: Bench = latency("lmbench/sig_install", "one sigaction(2)", prepare);

fn prepare() -> Result<Op, Refusal> {
    let former = catcher()?;
    Ok(Op::new(move || {
        let _restores = &former;
        let new = action(super::sig_catch::caught as *const () as usize, 0);
        let mut old = action(libc::SIG_DFL, 0);
        // SAFETY: both actions are whole and the handler is an `extern "C"` function of one number.
        must("sigaction", unsafe { libc::sigaction(libc::SIGUSR1, &new, &mut old) } == 0);
    }))
}
