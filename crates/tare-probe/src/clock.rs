//! The one clock that times batches, and what it can resolve.

use std::time::Instant;

/// A monotonic clock in nanoseconds since an arbitrary origin (`CLOCK_MONOTONIC`).
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the kernel (or vDSO) to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What the clock can tell apart, measured: `(smallest step, cost of one reading)` in nanoseconds.
pub fn resolution() -> (u64, f64) {
    const READINGS: u32 = 2000;
    let start = Instant::now();
    let mut step = u64::MAX;
    let mut last = now_ns();
    for _ in 0..READINGS {
        let now = now_ns();
        if now > last {
            step = step.min(now - last);
        }
        last = now;
    }
    let cost = start.elapsed().as_nanos() as f64 / f64::from(READINGS);
    (if step == u64::MAX { 0 } else { step }, cost)
}
