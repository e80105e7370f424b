//! Processes: whose children they are, and their end.

pub(crate) mod cpu_time;
pub(crate) mod files;
pub(crate) mod memory;
pub(crate) mod moved;
pub(crate) mod tally;
pub(crate) mod whose;

use crate::launch::affinity;
use files::Stat;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Who is whose child. A kernel that lists the children of a thread (`CONFIG_PROC_CHILDREN`) is asked about those processes alone that
/// are looked for; any other makes it read all processes once, which costs a millisecond or more, so several layers share one.
#[derive(Default)]
pub struct Processes {
    all: OnceLock<Children>,
}

/// The children of each process that has any.
type Children = BTreeMap<u32, Vec<u32>>;

impl Processes {
    /// The processes that live now.
    pub fn now() -> Processes {
        Processes::default()
    }

    /// All descendants of `ancestor`, without itself. A kernel's list may miss a process whose sibling ends at that moment, so
    /// this is for layers that rest, and not for ending processes.
    pub fn descendants(&self, ancestor: u32) -> BTreeSet<u32> {
        static LISTED: OnceLock<bool> = OnceLock::new();
        if *LISTED.get_or_init(|| Path::new("/proc/thread-self/children").exists()) {
            return below(ancestor, listed);
        }
        let all = self.all.get_or_init(children);
        below(ancestor, |pid| all.get(&pid).cloned().unwrap_or_default())
    }
}

/// All living descendants of `ancestor`, without itself.
pub fn descendants(ancestor: u32) -> BTreeSet<u32> {
    let all = children();
    below(ancestor, |pid| all.get(&pid).cloned().unwrap_or_default())
}

fn below(ancestor: u32, children: impl Fn(u32) -> Vec<u32>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = vec![ancestor];
    while let Some(pid) = open.pop() {
        open.extend(children(pid).into_iter().filter(|child| found.insert(*child)));
    }
    found
}

fn children() -> Children {
    let mut children = Children::new();
    for (pid, parent) in all_with_parents() {
        children.entry(parent).or_default().push(pid);
    }
    children
}

/// The children of `pid`, as the kernel lists them for each of its threads.
fn listed(pid: u32) -> Vec<u32> {
    let lists =
        threads(&pid).filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

/// Whether there is such a process that has not ended.
pub fn lives(pid: u32) -> bool {
    Stat::of(pid).is_some_and(|stat| !stat.is_zombie())
}

/// Sends SIGKILL to `pid`. It is held by a descriptor and looked at again before it is signalled, so that a
/// recycled process id is never hit.
pub fn end(pid: u32, is_it: impl Fn() -> bool) {
    if let Some(process) = Held::of(pid).filter(|_| is_it()) {
        process.signal(libc::SIGKILL);
    }
}

/// Ends all processes that are `found`, until there are none; those that have not ended when the time is over. Each is looked at again
/// before it is signalled, whether it still `is` one of them.
pub fn end_found(
    found: impl Fn() -> BTreeSet<u32>,
    is: impl Fn(u32) -> bool,
    within: Duration,
) -> BTreeSet<u32> {
    let deadline = Instant::now() + within;
    loop {
        let living = found();
        if living.is_empty() || Instant::now() > deadline {
            return living;
        }
        living.iter().for_each(|&pid| end(pid, || is(pid)));
        thread::sleep(Duration::from_millis(2));
    }
}

/// The processes in the control group `folder` and in those below it.
pub(crate) fn processes_in(folder: &Path) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        // 0 is a process of another PID namespace.
        found.extend(text.lines().filter_map(|pid| pid.parse::<u32>().ok()).filter(|pid| *pid > 0));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        open.extend(below.map(|entry| entry.path()));
    }
    found
}

/// A process that is held by a descriptor: no other one is ever taken for it.
pub struct Held(OwnedFd);

impl Held {
    /// The process that has this id now, if there is one.
    pub fn of(pid: u32) -> Option<Held> {
        // SAFETY: pidfd_open takes plain numbers.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        // SAFETY: the descriptor is new, and nobody else's.
        (fd >= 0).then(|| Held(unsafe { OwnedFd::from_raw_fd(fd as i32) }))
    }

    /// Waits for its end, at most for `within`.
    pub fn wait(&self, within: Duration) {
        let within = u32::try_from(within.as_millis().max(1)).unwrap_or(u32::MAX);
        let mut ended = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut ended, PollTimeout::try_from(within).unwrap_or(PollTimeout::MAX));
    }

    /// Sends it a signal; nothing happens when it has ended.
    pub fn signal(&self, signal: i32) {
        let none = std::ptr::null::<libc::siginfo_t>();
        let fd = self.0.as_raw_fd();
        // SAFETY: the descriptor is open, and a null siginfo is allowed.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, none, 0) };
    }
}

/// Whether a tracer has `pid`: it would have to look after each stop of it.
pub fn is_traced(pid: u32) -> bool {
    let status = files::read(pid, "status").unwrap_or_default();
    files::value(&status, "TracerPid:").is_some_and(|tracer| tracer != "0")
}

/// Lets all threads of `pids` run on `cpus` alone. One that ended meanwhile needs no CPU.
pub(crate) fn pin<'a>(pids: impl IntoIterator<Item = &'a u32>, cpus: &[u32]) {
    for tid in tids(pids) {
        let _ = affinity::pin_thread(tid, cpus);
    }
}

/// The number of every thread of `pids`.
pub(crate) fn tids<'a>(pids: impl IntoIterator<Item = &'a u32>) -> impl Iterator<Item = u32> {
    pids.into_iter().flat_map(threads).filter_map(|thread| tid(&thread))
}

/// The number of a thread, by its folder.
fn tid(thread: &fs::DirEntry) -> Option<u32> {
    thread.file_name().to_str()?.parse().ok()
}

pub(super) fn threads(pid: &u32) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten()
}

/// All processes of this host, each with its parent.
pub(crate) fn all_with_parents() -> impl Iterator<Item = (u32, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, Stat::of(pid)?.parent)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn both_ways_of_looking_find_the_same_descendants() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & echo; exec sleep 1000"]);
        let mut child = shell.stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let below = Processes::now().descendants(child.id());
        assert!(below.len() == 1 && !below.contains(&child.id()));
        assert_eq!(below, descendants(child.id()), "as all processes say");
        below.into_iter().chain([child.id()]).for_each(|pid| end(pid, || true));
        assert!(!child.wait().unwrap().success());
    }
}
