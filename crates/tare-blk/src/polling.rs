//! How long a queue looks for requests before it sleeps: waking a CPU that has gone idle takes longer than many a request, most of
//! all in a virtual machine. The time adapts to what it brings, as in QEMU's event loops (include/qemu/aio.h: poll-max-ns,
//! poll-grow, poll-shrink), whose longest is the default here.

use std::time::{Duration, Instant};

/// The longest time that QEMU's event loops look by default, in microseconds.
pub const DEFAULT_US: u32 = 32;

/// The first time that is tried, and how a time grows.
const FIRST: Duration = Duration::from_micros(4);
const GROWTH: u32 = 2;

/// The time that one queue looks, and what it found.
#[derive(Debug)]
pub struct Polling {
    longest: Duration,
    now: Duration,
    idle_since: Option<Instant>,
}

impl Polling {
    /// At most `longest_us` microseconds; 0 for not at all.
    pub fn new(longest_us: u32) -> Polling {
        let longest = Duration::from_micros(longest_us.into());
        Polling { longest, now: Duration::ZERO, idle_since: None }
    }

    /// How long to look now, after which the queue sleeps.
    pub fn begins(&mut self, at: Instant) -> Duration {
        self.idle_since.get_or_insert(at);
        self.now
    }

    pub fn ends(&mut self, at: Instant) {
        let Some(since) = self.idle_since.take() else { return };
        let idle = at.saturating_duration_since(since);
        self.now = match () {
            _ if idle <= self.now => self.now,
            // It would have come too late to wait for it.
            _ if idle > self.longest => Duration::ZERO,
            _ => (self.now * GROWTH).max(FIRST).min(self.longest),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_grows_while_requests_come_soon_and_ends_when_they_come_late() {
        let mut polling = Polling::new(32);
        let mut at = Instant::now();
        let mut idle = |us: u64| {
            let looked = polling.begins(at);
            at += Duration::from_micros(us);
            polling.ends(at);
            looked.as_micros()
        };
        let looked: Vec<u128> = [20, 20, 20, 20, 20, 3, 100, 20].map(&mut idle).into();
        assert_eq!(looked, [0, 4, 8, 16, 32, 32, 32, 0]);
        let mut never = Polling::new(0);
        assert_eq!(never.begins(at), Duration::ZERO);
        never.ends(at + Duration::from_micros(1));
        assert_eq!(never.begins(at), Duration::ZERO);
    }
}
