//! A process that sleeps until a timer wakes it.

use crate::bench::{Op, Refusal};
use crate::sys::must;
use std::ptr;

/// Nanoseconds that a sleep lasts at least.
const SLEEP_NS: libc::c_long = 50_000;

pub fn prepare() -> Result<Op, Refusal> {
    // SAFETY: all zeros is a valid time, whatever padding it has.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    time.tv_nsec = SLEEP_NS as _;
    Ok(Op::new(move || {
        // SAFETY: `time` is valid for the call; what is left of it is not asked for.
        let done =
            unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &time, ptr::null_mut()) };
        must("clock_nanosleep", done == 0);
    }))
}
