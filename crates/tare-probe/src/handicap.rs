//! A known slowdown, so that anyone can try whether tare finds it: every timed batch is drawn out by a share of its time.

use crate::clock::now_ns;
use std::sync::atomic::{AtomicU64, Ordering};

/// Millionths of its time by which a batch is drawn out.
static SHARE: AtomicU64 = AtomicU64::new(0);

/// Draws batches out by `percent` from now on; whether it is a percentage at all.
pub fn set(percent: &str) -> bool {
    let share = percent.parse::<f64>().ok().filter(|percent| (0.0..=1000.0).contains(percent));
    SHARE.store(share.unwrap_or(0.0).mul_add(10_000.0, 0.5) as u64, Ordering::Relaxed);
    share.is_some()
}

/// Draws out a batch that began at `start` and has just ended.
#[inline]
pub fn draw_out(start: u64) {
    let share = SHARE.load(Ordering::Relaxed);
    if share > 0 {
        let took = now_ns() - start;
        let end = start + took + took * share / 1_000_000;
        while now_ns() < end {}
    }
}
