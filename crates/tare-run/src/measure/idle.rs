//! Checks whether a layer that waits is idle. The CPU time that a waiting layer uses would disturb the layers that measure.

use std::thread;
use std::time::Duration;
use tare_layers::{Processes, Session};

/// Share of a CPU that a layer may take while it waits.
pub(crate) const QUIET: f64 = 0.005;

/// How long layers are watched.
const WATCH: Duration = Duration::from_secs(1);

/// The share of a CPU that each layer takes while all of them wait. A layer whose CPU time cannot be read counts as idle.
pub(crate) fn watch(sessions: &[&Session]) -> Vec<f64> {
    if sessions.is_empty() {
        return Vec::new();
    }
    let times = || -> Vec<Option<Duration>> {
        let now = Processes::now();
        sessions.iter().map(|session| session.cpu_time(&now)).collect()
    };
    let before = times();
    if before.iter().all(Option::is_none) {
        return vec![0.0; sessions.len()];
    }
    thread::sleep(WATCH);
    let share = |(before, after): (Option<Duration>, Option<Duration>)| {
        let used = before.zip(after).map(|(before, after)| after.saturating_sub(before));
        used.map_or(0.0, |used| used.as_secs_f64() / WATCH.as_secs_f64())
    };
    before.into_iter().zip(times()).map(share).collect()
}
