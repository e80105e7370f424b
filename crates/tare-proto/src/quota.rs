//! What of the CPUs' time a process's control groups allow it, as the kernel's files say.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// CPUs that the process `pid` (or `self`) may use by the quotas of its control groups, where this process sees them; `None` where
/// there is no quota.
pub fn cpu_quota(pid: &str) -> Option<f64> {
    folders_of(pid).iter().filter_map(|folder| quota(folder)).reduce(f64::min)
}

/// How long the control groups of the process `pid` have been stopped since their quota of a period was used up, on each CPU by itself;
/// `None` where there is no quota.
pub fn stopped_by_quota(pid: &str) -> Option<Duration> {
    let stopped = |folder: &PathBuf| {
        quota(folder)?;
        stopped(&fs::read_to_string(folder.join("cpu.stat")).ok()?)
    };
    folders_of(pid).iter().filter_map(stopped).max()
}

fn folders_of(pid: &str) -> Vec<PathBuf> {
    let text = |path: String| fs::read_to_string(path).unwrap_or_default();
    folders(&text("/proc/self/mountinfo".into()), &text(format!("/proc/{pid}/cgroup")))
}

/// The time in `cpu.stat`: microseconds of version 2, nanoseconds of version 1.
fn stopped(stat: &str) -> Option<Duration> {
    let value =
        |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    let first = || value("throttled_time ").map(Duration::from_nanos);
    value("throttled_usec ").map(Duration::from_micros).or_else(first)
}

/// The folders of the control groups in `groups` (`/proc/PID/cgroup`) that may have a quota, with those above them as far as they are
/// mounted (`/proc/self/mountinfo`).
fn folders(mounts: &str, groups: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (root, place, controllers) in mounts.lines().filter_map(mounted) {
        let own = groups.lines().find_map(|line| {
            let (kinds, path) = line.split_once(':')?.1.split_once(':')?;
            let is_of = match controllers {
                None => kinds.is_empty(),
                Some(of_mount) => {
                    let has = |all: &str| all.split(',').any(|one| one == "cpu");
                    has(kinds) && has(of_mount)
                }
            };
            is_of.then_some(path)
        });
        let below = own.and_then(|path| Path::new(path).strip_prefix(root).ok());
        if let Some(below) = below {
            let all = place.join(below);
            let above = all.ancestors().take_while(|folder| folder.starts_with(place));
            found.extend(above.map(Path::to_owned));
        }
    }
    found
}

/// Of a mount of control groups: what of them is mounted, where, and of version 1 which controllers.
fn mounted(line: &str) -> Option<(&Path, &Path, Option<&str>)> {
    let (before, after) = line.split_once(" - ")?;
    let mut words = before.split(' ').skip(3);
    let root = Path::new(words.next()?);
    let place = Path::new(words.next()?);
    let mut words = after.split(' ');
    match words.next()? {
        "cgroup2" => Some((root, place, None)),
        "cgroup" => Some((root, place, Some(words.nth(1)?))),
        _ => None,
    }
}

/// CPUs that the group in `folder` may use.
fn quota(folder: &Path) -> Option<f64> {
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let both = text("cpu.max").or_else(|| {
        Some(format!("{} {}", text("cpu.cfs_quota_us")?.trim(), text("cpu.cfs_period_us")?))
    })?;
    let mut words = both.split_whitespace().map(str::parse::<f64>); // "max" and -1 are none
    let quota = words.next()?.ok()?;
    let period = words.next()?.ok()?;
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_in_both_versions_of_control_groups() {
        let mounts = "24 1 0:21 / /proc rw - proc proc rw\n\
                      30 25 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
                      31 25 0:27 /docker/x /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuacct,cpu\n\
                      32 25 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";
        let groups = "5:cpuset:/c\n3:cpuacct,cpu:/docker/x/y\n0::/a/b\n";
        let found = folders(mounts, groups);
        let found: Vec<_> = found.iter().map(|folder| folder.display().to_string()).collect();
        let second = ["/a/b", "/a", ""].map(|below| format!("/sys/fs/cgroup/unified{below}"));
        let first = ["/y", ""].map(|below| format!("/sys/fs/cgroup/cpu{below}"));
        assert_eq!(found, [&second[..], &first[..]].concat());
        assert_eq!(
            folders(mounts, "0::/../other\n1:cpu:/elsewhere\n").len(),
            3,
            "the second's own"
        );
    }

    #[test]
    fn a_quota_is_read_in_both_forms() {
        let place = std::env::temp_dir().join(format!("tare-quota-{}", std::process::id()));
        fs::create_dir_all(&place).expect("a folder");
        let put = |name: &str, text: &str| fs::write(place.join(name), text).expect("a file");
        let none = quota(&place);
        put("cpu.cfs_quota_us", "-1\n");
        put("cpu.cfs_period_us", "100000\n");
        let unlimited = quota(&place);
        put("cpu.cfs_quota_us", "150000\n");
        let first = quota(&place);
        put("cpu.max", "25000 100000\n");
        let second = quota(&place);
        put("cpu.max", "max 100000\n");
        let max = quota(&place);
        fs::remove_dir_all(&place).expect("its removal");
        assert_eq!(
            (none, unlimited, first, second, max),
            (None, None, Some(1.5), Some(0.25), None)
        );
    }

    #[test]
    fn the_time_of_both_versions_is_read() {
        let second = "usage_usec 7\nnr_throttled 3\nthrottled_usec 4500\n";
        assert_eq!(stopped(second), Some(Duration::from_micros(4500)));
        let first = "nr_periods 9\nnr_throttled 3\nthrottled_time 4500\n";
        assert_eq!(stopped(first), Some(Duration::from_nanos(4500)));
        assert_eq!(stopped("nr_periods 9\n"), None);
    }
}
