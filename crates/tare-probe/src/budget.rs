//! The time that a measurement may take, and when its samples are enough.

use crate::clock::now_ns;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds of this measurement in which other layers took their turns.
static PAUSED: AtomicU64 = AtomicU64::new(0);

/// A measurement begins: nothing has been waited for.
pub fn begin() {
    PAUSED.store(0, Ordering::Relaxed);
}

/// `ns` nanoseconds were not the measurement's.
pub fn pause(ns: u64) {
    PAUSED.fetch_add(ns, Ordering::Relaxed);
}

/// What other layers have taken so far, in nanoseconds.
pub fn paused() -> u64 {
    PAUSED.load(Ordering::Relaxed)
}

/// The clock where it reads `now`, but it stands still while other layers take their turns.
fn own_ns(now: u64) -> u64 {
    now.saturating_sub(paused())
}

/// The warm-up takes at most this part of the time.
const WARMUP_TIME_SHARE: u64 = 5;

/// Fewest samples a series holds, even when its time is over.
const FEWEST: usize = 3;

/// When a series has taken twice its time and this many nanoseconds more, one sample suffices; otherwise the host would time
/// out.
const LATE: u64 = 4_000_000_000;

/// The time that a measurement may take, by the probe's clock.
pub struct Budget {
    /// All of it, in nanoseconds.
    pub limit: u64,
    end: u64,
    /// From when on one sample suffices.
    late: u64,
}

impl Budget {
    /// `limit_ms` milliseconds from `begin` on.
    pub fn new(begin: u64, limit_ms: u64) -> Budget {
        let limit = limit_ms.saturating_mul(1_000_000).max(1);
        let begin = begin.saturating_sub(paused());
        let late = begin.saturating_add(limit.saturating_mul(2)).saturating_add(LATE);
        Budget { limit, end: begin.saturating_add(limit), late }
    }

    /// The part of it for the warm-up, from now on.
    pub fn warmup(&self) -> Budget {
        let limit = self.limit / WARMUP_TIME_SHARE;
        Budget { limit, end: self.end.min(own_ns(now_ns()) + limit), late: self.late }
    }

    /// Whether another `ns` nanoseconds are left when the clock reads `now`.
    pub fn fits(&self, ns: u64, now: u64) -> bool {
        own_ns(now) + ns <= self.end
    }

    /// The clock's reading when `factor` times the time and `grace` nanoseconds are over, if nothing is waited for any more.
    pub fn deadline(&self, factor: u64, grace: u64) -> u64 {
        self.end + (factor - 1) * self.limit + grace + paused()
    }

    /// Whether the host will not wait for more than one sample when the clock reads `now`.
    pub fn late(&self, now: u64) -> bool {
        own_ns(now) >= self.late
    }
}

/// Whether `taken` samples are enough: as many as are wanted, or at least [`FEWEST`] when another one
/// like the `last`, in nanoseconds, would end after the budget, or one when it is long over. The clock reads `now`: where each reading
/// is a call, further ones would be counted with the operations.
pub fn enough(taken: usize, wanted: u32, budget: &Budget, last: u64, now: u64) -> bool {
    let wanted = wanted.max(1) as usize;
    taken >= wanted
        || (taken >= FEWEST.min(wanted) && !budget.fits(last, now))
        || (taken > 0 && budget.late(now))
}
