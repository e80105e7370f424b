//! What tare and a boot's keeper say to each other over the life line.

use crate::Program;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// The descriptor at which a keeper finds its life line.
pub(crate) const LIFE: i32 = 3;

/// Longest time that a helper may take until it is ready.
pub(crate) const READY: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Boot {
    pub id: String,
    /// Where to record what the boot makes.
    pub records: Option<PathBuf>,
    /// The knobs of this host that it puts back at the end.
    #[serde(default)]
    pub knobs: Vec<String>,
}

/// What tare tells it then, when the layer knows its folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub program: Program,
    /// The CPUs it may run on; empty for all.
    pub cpus: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum News {
    /// The keeper waits for a boot.
    Ready,
    /// The boot's folder is made.
    Folder(PathBuf),
    /// The layer is started.
    Started {
        /// When, by the host's monotonic clock, in nanoseconds.
        at: u64,
        helpers: Vec<u32>,
    },
    /// The layer could not be started.
    Refused(String),
    /// The layer's first process has ended.
    Ended(String),
    /// All is ended and removed; the texts name what could not be.
    Clean(Vec<String>),
}

/// tare may be gone: then there is nobody to tell, and the life line's end says what to do.
pub(crate) fn tell(mut life: &UnixStream, news: &News) {
    if let Ok(mut line) = serde_json::to_string(news) {
        line.push('\n');
        let _ = life.write_all(line.as_bytes());
    }
}

/// `CLOCK_MONOTONIC` in nanoseconds, the same clock in every process of the host.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
