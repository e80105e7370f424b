//! The processes below a keeper, read from `/proc`: who they are, their memory, their end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

/// All living descendants of `ancestor`, without itself.
pub fn descendants(ancestor: u32) -> BTreeSet<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (pid, parent) in all_with_parents() {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = BTreeSet::new();
    let mut open = vec![ancestor];
    while let Some(pid) = open.pop() {
        for &child in children.get(&pid).into_iter().flatten() {
            if found.insert(child) {
                open.push(child);
            }
        }
    }
    found
}

/// Proportional set size of `pids` together, in bytes; `None` when one of them cannot be read.
///
/// A process that ended meanwhile, and a zombie, hold no memory.
pub fn pss_bytes<'a>(pids: impl IntoIterator<Item = &'a u32>) -> Option<u64> {
    let mut total = 0;
    for pid in pids {
        match fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) {
            Ok(text) => total += kib(&text, "Pss:").unwrap_or(0) * 1024,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {}
            Err(_) => return None,
        }
    }
    Some(total)
}

/// User and system time of `pids` and of their children that have been waited for. A process that ended
/// meanwhile counts with its parent.
pub fn cpu_time<'a>(pids: impl IntoIterator<Item = &'a u32>) -> Duration {
    // SAFETY: sysconf has no preconditions.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64;
    let ticks: u64 = pids.into_iter().filter_map(ticks).sum();
    Duration::from_secs_f64(ticks as f64 / per_second)
}

/// Fields 14 to 17 of `/proc/PID/stat`: utime, stime, cutime, cstime.
fn ticks(pid: &u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let times = after_name(&stat)?.split_whitespace().skip(11).take(4);
    Some(times.filter_map(|word| word.parse::<u64>().ok()).sum())
}

fn all_with_parents() -> impl Iterator<Item = (u32, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, parent(pid)?)))
}

/// The parent of `pid`, if it lives.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    after_name(&stat)?.split_whitespace().nth(1)?.parse().ok()
}

/// The rest of a `/proc/PID/stat` line after the name, which may hold spaces and parentheses.
fn after_name(stat: &str) -> Option<&str> {
    Some(&stat[stat.rfind(')')? + 1..])
}

fn kib(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}
