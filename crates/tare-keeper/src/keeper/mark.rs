//! The mark of a boot: how its processes are known when both tare and their keeper were killed.
//!
//! It holds for whatever a process does unless it may raise limits (`CAP_SYS_RESOURCE`): who lowers one of the two limits that
//! carry it is found by the other, and who lowers both is told from all others and named, though not ended.

use crate::processes::files::{self, Stat};
use crate::processes::{all_with_parents, end_found, lives};
use nix::sys::resource::{Resource, setrlimit};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::geteuid;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};
use tare_proto::harmless;

/// The mark of all processes of the boot `id`: a number that no other boot has.
pub fn mark(id: &str) -> u64 {
    let hash = Sha256::digest(id.as_bytes());
    let number = hash.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    number >> 2 | 1 << 61 // neither unlimited nor a limit that anybody sets
}

fn is_mark(limit: u64) -> bool {
    limit >> 61 == 1
}

/// The resource limits that carry the mark, and their names in `/proc`. Linux has used neither since 2.6 and still hands both
/// down: through exec, new parents, sessions and namespaces.
const CARRIERS: [(Resource, &str); 2] =
    [(Resource::RLIMIT_LOCKS, "Max file locks"), (Resource::RLIMIT_RSS, "Max resident set")];

/// Gives this process, and all that it will start, a mark. A process can lower both limits, but without `CAP_SYS_RESOURCE` it
/// cannot get rid of them: see [`doubtful`].
pub fn set_mark(mark: u64) {
    for (limit, _) in CARRIERS {
        let _ = setrlimit(limit, mark, mark); // refused only where a lower one was set
    }
}

/// The living processes with that mark, but for this one.
fn marked(mark: u64) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = all_with_parents().map(|(pid, _)| pid).collect();
    found.retain(|pid| *pid != std::process::id() && limits(*pid).contains(&mark) && lives(*pid));
    found
}

/// The hard limits of `pid` that can carry a mark, as far as it has such limits.
fn limits(pid: u32) -> Vec<u64> {
    let all = files::read(pid, "limits").unwrap_or_default();
    let hard = |name: &str| {
        let line = all.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().nth(1)?.parse().ok() // but for "unlimited"
    };
    CARRIERS.iter().filter_map(|(_, name)| hard(name)).collect()
}

/// This user's processes, started after the time `since`, that may have had a mark and have lowered both limits that carry it: nothing else
/// does so. None where such limits are usual, or where the process is part of a boot that lives.
pub fn doubtful(since: SystemTime) -> BTreeSet<u32> {
    let is_plain =
        |limits: &[u64]| limits.len() == CARRIERS.len() && !limits.iter().any(|it| is_mark(*it));
    if is_plain(&limits(std::process::id())) {
        return BTreeSet::new();
    }
    let Some(since) = running_at(since) else { return BTreeSet::new() };
    let parents: BTreeMap<u32, u32> = all_with_parents().collect();
    let in_a_boot = |pid: u32| {
        let above = std::iter::successors(Some(pid), |pid| parents.get(pid).copied());
        above.take(parents.len()).any(|pid| limits(pid).into_iter().any(is_mark))
    };
    let own = |pid: &u32| {
        fs::metadata(format!("/proc/{pid}")).is_ok_and(|it| it.uid() == geteuid().as_raw())
    };
    let mut found: BTreeSet<u32> = parents.keys().copied().filter(own).collect();
    found.retain(|pid| is_plain(&limits(*pid)) && lives(*pid));
    found.retain(|pid| start_of(*pid).is_some_and(|start| start > since) && !in_a_boot(*pid));
    found
}

/// When a process was started at the latest, in time since the host's start; its `stat` counts whole ticks.
fn start_of(pid: u32) -> Option<Duration> {
    let ticks = Stat::of(pid)?.start_ticks + 1;
    Some(Duration::from_secs_f64(ticks as f64 / files::ticks_per_second()))
}

/// How long the host had run at the time `when`, or a little less.
fn running_at(when: SystemTime) -> Option<Duration> {
    let now = Duration::from(clock_gettime(ClockId::CLOCK_BOOTTIME).ok()?);
    Some(now.saturating_sub(when.elapsed().ok()?))
}

/// What the process `pid` is called.
pub fn name(pid: u32) -> String {
    let name = files::read(pid, "comm").unwrap_or_default();
    harmless(name.trim_end(), 40)
}

/// Ends all processes with that mark; those that have not ended when the time is over.
pub fn end_marked(mark: u64, within: Duration) -> BTreeSet<u32> {
    end_found(|| marked(mark), |pid| limits(pid).contains(&mark), within)
}

/// Held by a test with processes that are doubtful, and by one that must see none.
#[cfg(test)]
pub(super) static DOUBTFUL: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::end;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::thread;

    /// `script`, run by a shell with that mark.
    fn shell(script: &str, mark: u64) -> Child {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        let set = move || {
            set_mark(mark);
            Ok(())
        };
        // SAFETY: setting a limit is a system call, as is allowed between fork and exec.
        unsafe { shell.pre_exec(set) }.spawn().unwrap()
    }

    fn until(ready: impl Fn() -> bool) {
        while !ready() {
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn whoever_has_the_mark_is_found_and_ended() {
        let mark = mark(&format!("tare-test-{}", std::process::id()));
        // One has another session and no environment, one a lower limit of each that carries the mark.
        let script = "setsid env -i sleep 1000 & setsid prlimit --locks=7 sleep 1000 & \
                      setsid prlimit --rss=7 sleep 1000 & exec sleep 1000";
        let mut child = shell(script, mark);
        until(|| marked(mark).iter().filter(|pid| name(**pid) == "sleep").count() == 4);
        assert_eq!(marked(mark + 1), BTreeSet::new());
        assert_eq!(end_marked(mark, Duration::from_secs(20)), BTreeSet::new());
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn whoever_lowers_both_limits_is_named_and_nobody_else() {
        let _alone = DOUBTFUL.lock();
        let long_ago = SystemTime::now() - Duration::from_secs(600);
        let mark = mark(&format!("tare-lower-{}", std::process::id()));
        let mut plain = Command::new("sleep").arg("1000").spawn().unwrap();
        let mut child = shell("exec prlimit --locks=7 --rss=7 sleep 1000", mark);
        until(|| doubtful(long_ago).contains(&child.id()));
        let found = doubtful(long_ago);
        assert!(!found.contains(&plain.id()), "it never had a mark");
        thread::sleep(Duration::from_millis(50)); // more than a tick
        assert!(!doubtful(SystemTime::now()).contains(&child.id()), "the boot is younger");
        let mut living = shell("prlimit --locks=7 --rss=7 sleep 1000; true", mark);
        until(|| crate::processes::descendants(living.id()).len() == 1);
        let below = crate::processes::descendants(living.id());
        until(|| below.iter().all(|pid| limits(*pid) == [7, 7]));
        assert!(doubtful(long_ago).is_disjoint(&below), "its boot lives");
        below.into_iter().for_each(|pid| end(pid, || true));
        for process in [&mut plain, &mut child, &mut living] {
            process.kill().and_then(|()| process.wait()).unwrap();
        }
    }
}
