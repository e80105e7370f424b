//! Whether the host has room for so many layers at once. It is looked at before they are started, so that no limit is hit.

use super::start::Up;
use crate::host::memory::HostMemory;
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::geteuid;
use std::fs;
use std::path::Path;
use tare_board::format::quantity;
use tare_layers::Processes;
use tare_proto::Unit;

/// Descriptors that tare holds for a layer while it starts it.
const DESCRIPTORS: u64 = 16;

/// Tasks beside a layer's own: its keeper's, a runtime's helpers while it starts, and tare's thread.
const TASKS_BESIDE: u64 = 12;

/// What one layer takes while it lives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct One {
    /// Its memory in bytes, as if it were alone.
    memory: u64,
    /// Its threads.
    tasks: u64,
}

impl One {
    /// The same with so many bytes more.
    pub fn with(self, bytes: u64) -> One {
        One { memory: self.memory + bytes, ..self }
    }

    /// What this layer takes; nothing where its processes are out of sight.
    pub fn of(up: &Up) -> One {
        let tasks = up.session.threads_and_waits(&Processes::now()).map_or(0, |(tasks, _)| tasks);
        One { memory: up.session.footprint().unwrap_or(0), tasks }
    }
}

/// What is left of the host's limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    memory: Option<u64>,
    tasks: Option<u64>,
    descriptors: Option<u64>,
}

impl Limits {
    /// As they are now.
    pub fn now() -> Limits {
        Limits {
            memory: HostMemory::now().map(|memory| memory.room() as u64),
            tasks: tasks_left(),
            descriptors: descriptors_left(),
        }
    }

    /// Refuses `count` layers that would not fit.
    pub fn check(&self, count: u32, one: &One) -> Result<(), String> {
        let count = u64::from(count);
        let memory = count * one.memory;
        let tasks = count * (one.tasks + TASKS_BESIDE);
        let bytes = |bytes: u64| quantity(Unit::Bytes, bytes as f64);
        if let Some(left) = self.memory.filter(|left| *left < memory) {
            return Err(format!(
                "{count} at once would take about {} of memory, and only {} are left up to three quarters of this host's memory",
                bytes(memory),
                bytes(left)
            ));
        }
        if let Some(left) = self.tasks.filter(|left| *left < tasks) {
            return Err(format!(
                "{count} at once would need about {tasks} processes and threads, and {left} more are allowed"
            ));
        }
        let descriptors = count * DESCRIPTORS;
        match self.descriptors.filter(|left| *left < descriptors) {
            Some(left) => Err(format!(
                "{count} at once would need about {descriptors} open files of tare itself, and {left} more are allowed (ulimit -n)"
            )),
            None => Ok(()),
        }
    }
}

/// Processes and threads that may still be started: by the kernel, by this user, in tare's control group.
fn tasks_left() -> Option<u64> {
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    let running: u64 = load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()?;
    let most = ["kernel/threads-max", "kernel/pid_max"]
        .map(|name| number(&Path::new("/proc/sys").join(name)));
    let user = getrlimit(Resource::RLIMIT_NPROC).ok().map(|(soft, _)| soft);
    let user = user.filter(|_| !geteuid().is_root());
    let by_host = most.into_iter().flatten().chain(user).min()?.saturating_sub(running);
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_group = |group: &Path| {
        let most = number(&group.join("pids.max"))?;
        Some(most.saturating_sub(number(&group.join("pids.current"))?))
    };
    let by_group = groups(&own).iter().filter_map(|group| of_group(Path::new(group))).min();
    Some(by_group.map_or(by_host, |left| left.min(by_host)))
}

/// Where the kernel may show the limits of the control groups in `/proc/self/cgroup`.
fn groups(own: &str) -> Vec<String> {
    let place = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let kinds = parts.next()?;
        let path = parts.next()?.trim_start_matches('/');
        match kinds {
            "" => Some(format!("/sys/fs/cgroup/{path}")),
            _ => kinds
                .split(',')
                .any(|kind| kind == "pids")
                .then(|| format!("/sys/fs/cgroup/pids/{path}")),
        }
    };
    own.lines().filter_map(place).collect()
}

fn descriptors_left() -> Option<u64> {
    let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let open = fs::read_dir("/proc/self/fd").ok()?.count() as u64;
    Some(soft.saturating_sub(open))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: One = One { memory: 100 << 20, tasks: 8 };
    const PLENTY: Limits =
        Limits { memory: Some(1 << 40), tasks: Some(1 << 20), descriptors: Some(1 << 20) };

    #[test]
    fn what_does_not_fit_is_refused_by_the_limit_that_it_would_hit() {
        assert_eq!(PLENTY.check(1000, &ONE), Ok(()));
        let memory = Limits { memory: Some(1 << 30), ..PLENTY };
        assert_eq!(memory.check(10, &ONE), Ok(()));
        let why = memory.check(11, &ONE).unwrap_err();
        assert!(
            why.starts_with("11 at once would take about 1.07 GiB") && why.contains("1.00 GiB"),
            "{why}"
        );
        let tasks = Limits { tasks: Some(199), ..PLENTY };
        assert_eq!(tasks.check(9, &ONE), Ok(()));
        assert!(tasks.check(10, &ONE).unwrap_err().contains("about 200 processes"));
        let files = Limits { descriptors: Some(160), ..PLENTY };
        assert_eq!(files.check(10, &ONE), Ok(()));
        assert!(files.check(11, &ONE).unwrap_err().contains("ulimit -n"));
        assert_eq!(
            Limits { memory: None, tasks: None, descriptors: None }.check(9999, &ONE),
            Ok(())
        );
    }

    #[test]
    fn control_groups_of_both_versions_are_found() {
        let own = "12:pids,misc:/a/b\n3:cpu:/c\n0::/d\n";
        assert_eq!(groups(own), ["/sys/fs/cgroup/pids/a/b", "/sys/fs/cgroup/d"]);
    }

    #[test]
    fn this_host_has_room_for_one() {
        assert_eq!(Limits::now().check(1, &One { memory: 1 << 20, tasks: 1 }), Ok(()));
    }
}
