//! How long an answer is waited for: by the host's clock or, from a simulated machine, by what it has done.

use std::fmt;
use std::time::{Duration, Instant};

/// A simulated machine may take this many times its CPU time by the host's clock, however busy the host is.
const FAR: u32 = 10;

/// A machine stands still that has not used this part of a CPU for this long: even a very busy host gives more.
const STALL: Duration = Duration::from_secs(120);
const STALL_SHARE: u32 = 200;

/// How often is looked what a machine has done.
const LOOK: Duration = Duration::from_secs(1);

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    host: Duration,
    /// CPU time that the layer may use meanwhile, where that is the limit.
    cpu: Option<Duration>,
}

impl From<Duration> for Patience {
    /// By the host's clock alone.
    fn from(host: Duration) -> Patience {
        Patience { host, cpu: None }
    }
}

impl Patience {
    /// Until the layer has used `cpu`, or makes no progress. The clock of a simulated machine advances with the
    /// instructions that it executes, so this is a limit by its own clock; how busy the host is does not matter.
    pub fn of_progress(cpu: Duration) -> Patience {
        Patience { host: cpu * FAR, cpu: Some(cpu) }
    }
}

/// For how long nothing came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// By the host's clock.
    Host(Duration),
    /// By what the layer has done meanwhile.
    Cpu(Duration),
    /// The layer did nothing for this long.
    Stalled(Duration),
}

impl fmt::Display for Waited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Waited::Host(time) => write!(f, "within {:.1} s", time.as_secs_f64()),
            Waited::Cpu(time) => write!(f, "within {:.1} s of its CPU time", time.as_secs_f64()),
            Waited::Stalled(time) => {
                write!(f, "while the layer made no progress for {:.0} s", time.as_secs_f64())
            }
        }
    }
}

pub(crate) struct Deadline {
    end: Instant,
    progress: Option<Progress>,
    waited: Waited,
}

struct Progress {
    /// The CPU time that it has, and at which of it that is over.
    limit: Duration,
    until: Duration,
    /// CPU time at which it last was seen to get on, and when.
    mark: (Duration, Instant),
    looked: Instant,
}

impl Deadline {
    /// A wait that begins `now`, when the layer has used that much CPU time, if that is to be known.
    pub(crate) fn new(
        patience: Patience,
        now: Instant,
        used: impl FnOnce() -> Option<Duration>,
    ) -> Deadline {
        let progress = patience.cpu.zip(patience.cpu.and_then(|_| used()));
        let progress = progress.map(|(cpu, used)| Progress {
            limit: cpu,
            until: used + cpu,
            mark: (used, now),
            looked: now,
        });
        // Without any CPU time to be seen the host's clock is all that there is.
        let host =
            if progress.is_some() { patience.host } else { patience.cpu.unwrap_or(patience.host) };
        Deadline { end: now + host, progress, waited: Waited::Host(host) }
    }

    /// The time until it is over by the host's clock.
    pub(crate) fn left(&self, now: Instant) -> Duration {
        self.end.saturating_duration_since(now)
    }

    /// What was waited for, once it is over.
    pub(crate) fn waited(&self) -> Waited {
        self.waited
    }

    /// Whether it is over, when the layer has used that much CPU time by now.
    pub(crate) fn is_over(
        &mut self,
        now: Instant,
        used: impl FnOnce() -> Option<Duration>,
    ) -> bool {
        if now >= self.end {
            return true;
        }
        let Some(progress) = &mut self.progress else { return false };
        if now.saturating_duration_since(progress.looked) < LOOK {
            return false;
        }
        progress.looked = now;
        let Some(used) = used() else { return false };
        if used >= progress.until {
            self.waited = Waited::Cpu(progress.limit);
            return true;
        }
        let (before, at) = progress.mark;
        if used >= before + STALL / STALL_SHARE {
            progress.mark = (used, now);
            return false;
        }
        let stalled = now.saturating_duration_since(at) >= STALL;
        if stalled {
            self.waited = Waited::Stalled(STALL);
        }
        stalled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// After how many seconds a wait is over, up to `most`, when a layer gets that share of a CPU; and what is said then.
    fn over_after(patience: Patience, share: f64, most: u32) -> Option<(u32, String)> {
        let begun = Instant::now();
        let used = |seconds: u32| Some(Duration::from_secs(7) + (SECOND * seconds).mul_f64(share));
        let mut deadline = Deadline::new(patience, begun, || used(0));
        let at = (0..=most).find(|&n| deadline.is_over(begun + SECOND * n, || used(n)))?;
        Some((at, deadline.waited().to_string()))
    }

    #[test]
    fn a_busy_host_does_not_shorten_what_a_simulated_machine_may_do() {
        let minute = Patience::of_progress(60 * SECOND);
        let said = |seconds, text: &str| Some((seconds, text.to_owned()));
        assert_eq!(over_after(minute, 1.0, 1000), said(60, "within 60.0 s of its CPU time"));
        assert_eq!(over_after(minute, 0.25, 1000), said(240, "within 60.0 s of its CPU time"));
        assert_eq!(over_after(minute, 0.02, 1000), said(600, "within 600.0 s"), "the far bound");
    }

    #[test]
    fn a_machine_that_stands_still_is_given_up() {
        let hour = Patience::of_progress(3600 * SECOND);
        // A main loop that only ticks does no more than none.
        for share in [0.0, 0.001] {
            let stalled = Some((120, "while the layer made no progress for 120 s".to_owned()));
            assert_eq!(over_after(hour, share, 1000), stalled, "{share}");
        }
    }

    #[test]
    fn other_layers_have_the_hosts_clock() {
        let patience = Patience::from(10 * SECOND);
        for share in [0.0, 5.0] {
            assert_eq!(over_after(patience, share, 100), Some((10, "within 10.0 s".to_owned())));
        }
    }
}
