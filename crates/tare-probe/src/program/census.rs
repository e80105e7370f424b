//! A process and all that it has started, as /proc shows them: which they are, and what they have used.

use super::transfers;
use crate::facts;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;

/// Every process that is `first` or descends from it.
pub fn family(first: libc::pid_t) -> HashSet<libc::pid_t> {
    let parents: Vec<_> =
        pids("/proc").into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut family = HashSet::from([first]);
    loop {
        let before = family.len();
        let children = parents.iter().filter(|(_, parent)| family.contains(parent));
        let children: Vec<_> = children.map(|(pid, _)| *pid).collect();
        family.extend(children);
        if family.len() == before {
            return family;
        }
    }
}

/// The threads of process `pid`.
pub fn threads(pid: libc::pid_t) -> Vec<libc::pid_t> {
    pids(&format!("/proc/{pid}/task"))
}

/// What a family has used so far.
pub struct Used {
    /// Seconds in its own code.
    pub user: f64,
    /// Seconds in the kernel.
    pub system: f64,
    /// Reads and writes, where the kernel counts them.
    pub transfers: Option<f64>,
    /// By thread: context switches, wanted or not.
    switches: HashMap<libc::pid_t, u64>,
}

impl Used {
    /// Of the family of `first`.
    ///
    /// # Errors
    /// There is no such process.
    pub fn of(first: libc::pid_t) -> io::Result<Used> {
        let (switches, transfers) = (HashMap::new(), Some(0.0));
        let mut used = Used { user: 0.0, system: 0.0, transfers, switches };
        if stat(first).is_none_or(|words| words[STATE] == "Z") {
            return Err(io::Error::other(format!("there is no process {first}, or it has ended")));
        }
        for pid in family(first) {
            let Some(words) = stat(pid) else { continue };
            let ticks = |place: usize| words[place].parse::<f64>().unwrap_or(0.0) / per_second();
            // Its own, and that of children that have ended.
            used.user += ticks(USER) + ticks(USER_OF_CHILDREN);
            used.system += ticks(SYSTEM) + ticks(SYSTEM_OF_CHILDREN);
            let made = transfers::of(pid as u32);
            used.transfers = used.transfers.zip(made).map(|(sum, made)| sum + made);
            for tid in threads(pid) {
                let kinds = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"];
                let switches = facts::sum(&format!("/proc/{tid}/status"), kinds);
                used.switches.insert(tid, switches.unwrap_or(0));
            }
        }
        Ok(used)
    }

    /// What was used since `before`.
    pub fn since(&self, before: &Used) -> Used {
        let new = |(tid, switches): (&libc::pid_t, &u64)| {
            (*tid, switches.saturating_sub(before.switches.get(tid).copied().unwrap_or(0)))
        };
        Used {
            user: (self.user - before.user).max(0.0),
            system: (self.system - before.system).max(0.0),
            transfers: self
                .transfers
                .zip(before.transfers)
                .map(|(now, then)| (now - then).max(0.0)),
            switches: self.switches.iter().map(new).collect(),
        }
    }

    /// Context switches of all threads.
    pub fn all_switches(&self) -> f64 {
        self.switches.values().sum::<u64>() as f64
    }
}

/// Places in `/proc/PID/stat` after the name, which may hold anything.
const STATE: usize = 0;
const PARENT: usize = 1;
const USER: usize = 11;
const SYSTEM: usize = 12;
const USER_OF_CHILDREN: usize = 13;
const SYSTEM_OF_CHILDREN: usize = 14;

fn stat(pid: libc::pid_t) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let words: Vec<String> =
        text.rsplit(')').next()?.split_whitespace().map(str::to_owned).collect();
    (words.len() > SYSTEM_OF_CHILDREN).then_some(words)
}

fn parent(pid: libc::pid_t) -> Option<libc::pid_t> {
    stat(pid)?[PARENT].parse().ok()
}

fn pids(folder: &str) -> Vec<libc::pid_t> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Ticks of a second of CPU time.
fn per_second() -> f64 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64
}
