//! The processes of a boot, read from `/proc`: who they are, and their end.

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, setrlimit};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{fs, thread};

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

/// The children of all processes.
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

/// The mark of all processes of the boot `id`: a number that no other boot has.
pub fn mark(id: &str) -> u64 {
    let hash = Sha256::digest(id.as_bytes());
    let number = hash.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    number >> 2 | 1 << 61 // neither unlimited nor a limit that anybody sets
}

/// Gives this process, and all that it will start, a mark. It is a resource limit that Linux has not used since
/// 2.4 and still hands down: through exec, new parents, sessions and namespaces.
pub fn set_mark(mark: u64) {
    let _ = setrlimit(Resource::RLIMIT_LOCKS, mark, mark); // refused only where a lower one was set
}

/// The living processes with that mark, but for this one.
fn marked(mark: u64) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = all_with_parents().map(|(pid, _)| pid).collect();
    found.retain(|pid| *pid != std::process::id() && has(*pid, mark));
    found
}

fn has(pid: u32, mark: u64) -> bool {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let locks = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
    let hard = locks.and_then(|locks| locks.split_whitespace().nth(1));
    hard.is_some_and(|hard| hard == mark.to_string()) && !is_zombie(pid)
}

/// Whether there is such a process.
pub fn lives(pid: u32) -> bool {
    parent(pid).is_some() && !is_zombie(pid)
}

fn is_zombie(pid: u32) -> bool {
    let stat = stat(pid).unwrap_or_default();
    after_name(&stat).is_none_or(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

/// Ends all processes with that mark; those that have not ended when the time is over.
pub fn end_marked(mark: u64, within: Duration) -> BTreeSet<u32> {
    let deadline = Instant::now() + within;
    loop {
        let living = marked(mark);
        if living.is_empty() || Instant::now() > deadline {
            return living;
        }
        living.iter().for_each(|&pid| end(pid, || has(pid, mark)));
        thread::sleep(Duration::from_millis(2));
    }
}

/// Sends SIGKILL to `pid`. It is held by a descriptor and looked at again before it is signalled, so that a
/// recycled process id is never hit.
pub fn end(pid: u32, is_it: impl Fn() -> bool) {
    if let Some(process) = Held::of(pid).filter(|_| is_it()) {
        process.signal(libc::SIGKILL);
    }
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
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|tracer| tracer.trim() != "0")
}

/// The living threads of `pid`.
pub(super) fn threads(pid: &u32) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten()
}

fn all_with_parents() -> impl Iterator<Item = (u32, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, parent(pid)?)))
}

/// The parent of `pid`, if it lives.
fn parent(pid: u32) -> Option<u32> {
    let stat = stat(pid)?;
    after_name(&stat)?.split_whitespace().nth(1)?.parse().ok()
}

/// `/proc/PID/stat`, which one read gives as a whole. All processes are read often, so that counts.
pub(super) fn stat(pid: u32) -> Option<String> {
    let mut bytes = [0; 1024];
    let size = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..size]).into_owned())
}

/// The rest of a `/proc/PID/stat` line after the name, which may hold spaces and parentheses.
pub(super) fn after_name(stat: &str) -> Option<&str> {
    Some(&stat[stat.rfind(')')? + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn whoever_has_the_mark_is_found_and_ended() {
        let mark = mark(&format!("tare-test-{}", std::process::id()));
        let mut shell = Command::new("sh");
        shell.args(["-c", "setsid env -i sleep 1000 & exec sleep 1000"]);
        let set = move || {
            set_mark(mark);
            Ok(())
        };
        // SAFETY: setting a limit is a system call, as is allowed between fork and exec.
        let mut child = unsafe { shell.pre_exec(set) }.spawn().unwrap();
        while marked(mark).len() < 2 {
            thread::sleep(Duration::from_millis(5));
        }
        let below = Processes::now().descendants(child.id());
        assert!(below.is_subset(&marked(mark)) && !below.contains(&child.id()));
        assert_eq!(below, descendants(child.id()), "as all processes say");
        assert_eq!(marked(mark + 1), BTreeSet::new());
        assert_eq!(end_marked(mark, Duration::from_secs(20)), BTreeSet::new());
        assert!(!child.wait().unwrap().success());
    }
}
