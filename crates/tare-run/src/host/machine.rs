//! What a campaign needs of the host: disk space and the date; and what tare itself costs it.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// Least free space that a campaign may start with, in bytes.
const LEAST_SPACE: u64 = 64 << 20;

/// Whether a campaign fits into `directory` (or, if it is not there yet, its nearest parent).
pub fn check_space(directory: &Path) -> io::Result<()> {
    let mut places = directory.ancestors();
    let existing = places.find(|place| place.is_dir()).unwrap_or(Path::new("."));
    let existing = existing.canonicalize()?;
    let stat = nix::sys::statvfs::statvfs(&existing)?;
    let free = stat.blocks_available() as u64 * stat.fragment_size() as u64;
    if free >= LEAST_SPACE {
        return Ok(());
    }
    let (free, least) = (free >> 20, LEAST_SPACE >> 20);
    let text = format!("{free} MiB free at {}; a campaign wants {least}", existing.display());
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

/// tare's own CPU use while a layer measures.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnCost {
    cpu: Duration,
    wall: Duration,
}

/// When layers began to measure, by the clock and in CPU time of this process (its children are not counted).
pub(crate) struct Since {
    wall: Instant,
    cpu: Duration,
}

impl Since {
    pub(crate) fn now() -> Since {
        Since { wall: Instant::now(), cpu: own_cpu() }
    }
}

impl OwnCost {
    /// Adds what this process has used since layers began to measure.
    pub(crate) fn add(&mut self, since: &Since) {
        self.cpu += own_cpu().saturating_sub(since.cpu);
        self.wall += since.wall.elapsed();
    }

    /// Share of one CPU, in percent; 0 when nothing was measured.
    pub fn percent(&self) -> f64 {
        if self.wall.is_zero() {
            0.0
        } else {
            100.0 * self.cpu.as_secs_f64() / self.wall.as_secs_f64()
        }
    }
}

fn own_cpu() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let times = [usage.user_time(), usage.system_time()];
    times.iter().map(|time| Duration::from_micros(time.num_microseconds().max(0) as u64)).sum()
}

/// The time, UTC, ISO 8601, to the second.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
