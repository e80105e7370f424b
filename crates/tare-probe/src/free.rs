//! How much memory a benchmark may use without triggering the OOM killer, and how much space for files.

use crate::bench::Refusal;
use crate::sys::check;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Bytes that a process of the probe needs at least, with what it starts and what the kernel keeps for it.
pub const PROCESS: u64 = 4 << 20;

/// Refuses `count` of `who` that take `each` bytes of memory, if together they need more than is available.
pub fn memory_for(count: u32, who: &str, each: u64) -> Result<(), Refusal> {
    memory().map_or(Ok(()), |free| fits(count, who, each, "memory", free))
}

/// Refuses `count` of `who` that take `each` bytes, if together they need more than three quarters of the `free` bytes of
/// `what`.
pub fn fits(count: u32, who: &str, each: u64, what: &str, free: u64) -> Result<(), Refusal> {
    let need = u64::from(count).saturating_mul(each);
    if need <= free / 4 * 3 {
        return Ok(());
    }
    Err(Refusal::Unavailable(format!(
        "{count} {who} need {} MiB of {what}, and {} MiB are free: the curve ends here",
        need >> 20,
        free >> 20
    )))
}

/// Bytes free in the file system of `path`; `None` when it has no size of its own.
#[allow(clippy::unnecessary_cast)] // 32-bit machines count in other types
pub fn space(path: &CStr) -> io::Result<Option<u64>> {
    let mut stat = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: `path` is NUL-terminated and `stat` is a valid place to write to.
    check("statvfs", unsafe { libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) })?;
    // SAFETY: zeroed bytes are a valid `statvfs`, and the kernel has filled it since.
    let stat = unsafe { stat.assume_init() };
    let free = (stat.f_bavail as u64).saturating_mul(stat.f_frsize as u64);
    Ok((stat.f_blocks > 0).then_some(free))
}

/// Bytes available without swapping, according to the kernel and to the control groups of this process.
pub fn memory() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    groups().into_iter().filter_map(|group| left(&group)).chain([kib << 10]).min()
}

/// The folders of the memory control groups that this process is in, version 2 and 1.
fn groups() -> Vec<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else { continue };
        let root = match kinds {
            "" => "/sys/fs/cgroup",
            _ if kinds.split(',').any(|kind| kind == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        // In a container the path may be the host's, and only the root is there.
        let folder = Path::new(root).join(path.trim_start_matches('/'));
        found.extend(folder.ancestors().take_while(|at| at.starts_with(root)).map(Path::to_owned));
    }
    found
}

/// What a group's limit leaves; nothing where it has none.
fn left(group: &Path) -> Option<u64> {
    let read = |name: &str| -> Option<u64> {
        fs::read_to_string(group.join(name)).ok()?.trim().parse().ok()
    };
    let pair = |limit, used| Some(read(limit)?.saturating_sub(read(used)?));
    pair("memory.max", "memory.current")
        .or_else(|| pair("memory.limit_in_bytes", "memory.usage_in_bytes"))
}
