//! Processes that a program leaves behind: they come to the probe, which ends those that were not there before.

use super::proc::{self, Stat};
use crate::process;
use std::collections::HashSet;
use std::time::Duration;
use std::{ptr, thread};

/// Rounds of killing: every one reaches the children of those that were killed in the one before.
const ROUNDS: u32 = 200;

/// Between two of them.
const PAUSE: Duration = Duration::from_millis(5);

/// Whose children are the probe's to end, and which of them are to live.
#[derive(Clone)]
pub struct Others {
    parents: Vec<u32>,
    known: HashSet<u32>,
    /// Whether everything is to live for now.
    spared: bool,
}

impl Others {
    /// What is there now is to live. From here on what a program leaves has the probe as its parent or, where the
    /// kernel cannot do that, the probe that is PID 1 here.
    pub fn now() -> Others {
        let own = std::process::id();
        // SAFETY: prctl with this option takes a number and touches no memory.
        let adopts = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } == 0;
        // SAFETY: getppid has no preconditions.
        let first = unsafe { libc::getppid() } == 1 && !adopts;
        let mut parents = vec![own];
        parents.extend(first.then_some(1));
        let mut others = Others { parents, known: HashSet::from([own]), spared: false };
        others.keep();
        others
    }

    /// Everything is to live until [`Others::keep`] says what.
    pub fn spare(&mut self) {
        self.spared = true;
    }

    /// What is there now is to live.
    pub fn keep(&mut self) {
        let found = self.found();
        self.known.extend(found);
        self.spared = false;
    }

    /// Ends all others, also those that this thread traces; false if some do not end.
    pub fn end(&self) -> bool {
        for _ in 0..if self.spared { 0 } else { ROUNDS } {
            reap(&self.known);
            let found = self.found();
            if found.is_empty() {
                return true;
            }
            for pid in found {
                // SAFETY: kill has no memory preconditions; the process is a child that was not waited for.
                unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
                go_on(pid);
            }
            thread::sleep(PAUSE);
        }
        self.spared
    }

    /// Children of the probe that are to be ended.
    fn found(&self) -> Vec<u32> {
        let ours = |pid: &u32| !self.known.contains(pid) && self.is_child(*pid);
        proc::processes().into_iter().map(|pid| pid as u32).filter(ours).collect()
    }

    /// Whether `pid` is a living child of the probe's.
    fn is_child(&self, pid: u32) -> bool {
        let living = Stat::of(pid as libc::pid_t).filter(|stat| !stat.has_ended());
        let parent = living.and_then(|stat| stat.parent());
        parent.is_some_and(|parent| self.parents.contains(&(parent as u32)))
    }
}

/// Waits for children that have ended, but for those that are `known`: somebody waits for them.
fn reap(known: &HashSet<u32>) {
    while let Ok(pid) = process::ended(libc::P_ALL, 0, libc::WNOHANG) {
        if pid <= 0 || known.contains(&(pid as u32)) {
            return;
        }
        // SAFETY: a null status is allowed; the child has ended.
        unsafe { libc::waitpid(pid, ptr::null_mut(), libc::WNOHANG) };
    }
}

/// Lets the threads of `pid`, which was killed, end where they have stopped for this thread, their tracer.
fn go_on(pid: u32) {
    for tid in proc::threads(pid as libc::pid_t) {
        let none = ptr::null_mut::<libc::c_void>();
        // SAFETY: this request takes no memory; of a thread that is not traced it is refused.
        unsafe { libc::ptrace(libc::PTRACE_CONT, tid, none, none) };
    }
}
