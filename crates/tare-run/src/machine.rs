//! What a campaign needs of the machine it runs on: CPUs of its own, room on the disk, the date.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// Least free space that a campaign may start with, in bytes.
const LEAST_SPACE: u64 = 64 << 20;

/// The CPUs that this process may use.
pub fn allowed_cpus() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else { return vec![0] };
    (0..CpuSet::count())
        .filter(|&cpu| set.is_set(cpu).unwrap_or(false))
        .map(|cpu| cpu as u32)
        .collect()
}

/// `count` CPUs of `allowed` for the layers: the last ones, since the first usually takes the
/// machine's interrupts. Empty (no pinning) when none would be left for everything else.
pub fn pick_cpus(allowed: &[u32], count: usize) -> Vec<u32> {
    if allowed.len() <= count { Vec::new() } else { allowed[allowed.len() - count..].to_vec() }
}

/// Keeps this process off the layers' CPUs. Failing costs accuracy, not correctness.
pub fn stay_off(cpus: &[u32]) {
    let mut rest = CpuSet::new();
    let others: Vec<u32> = allowed_cpus().into_iter().filter(|cpu| !cpus.contains(cpu)).collect();
    if others.iter().all(|&cpu| rest.set(cpu as usize).is_ok()) && !others.is_empty() {
        let _ = sched_setaffinity(Pid::from_raw(0), &rest);
    }
}

/// Whether a campaign fits into `directory` (or, if it is not there yet, its nearest parent).
pub fn check_space(directory: &Path) -> io::Result<()> {
    let mut places = directory.ancestors();
    let existing = places.find(|place| place.is_dir()).unwrap_or(Path::new("."));
    let stat = nix::sys::statvfs::statvfs(existing)?;
    let free = stat.blocks_available() as u64 * stat.fragment_size() as u64;
    if free >= LEAST_SPACE {
        return Ok(());
    }
    let (free, least) = (free >> 20, LEAST_SPACE >> 20);
    let text = format!("{free} MiB free at {}; a campaign wants {least}", existing.display());
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

/// The time, UTC, ISO 8601, to the second.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
