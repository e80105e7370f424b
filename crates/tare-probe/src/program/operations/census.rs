//! A process and all that it has started, as /proc shows them: which they are, and what they have used.

use crate::facts;
use crate::program::proc::{Stat, processes, threads};
use crate::program::transfers;
use std::collections::{HashMap, HashSet};
use std::io;

/// Every process that is `first` or descends from it.
pub fn family(first: libc::pid_t) -> HashSet<libc::pid_t> {
    let parent = |pid| Some((pid, Stat::of(pid)?.parent()?));
    let parents: Vec<_> = processes().into_iter().filter_map(parent).collect();
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
        if Stat::of(first).is_none_or(|stat| stat.has_ended()) {
            return Err(io::Error::other(format!("there is no process {first}, or it has ended")));
        }
        let tick = 1.0 / ticks_per_second();
        let switches = HashMap::new();
        let mut used = Used { user: 0.0, system: 0.0, transfers: Some(0.0), switches };
        for pid in family(first) {
            let Some(stat) = Stat::of(pid) else { continue };
            used.user += stat.user_ticks() as f64 * tick;
            used.system += stat.system_ticks() as f64 * tick;
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

    pub fn all_switches(&self) -> f64 {
        self.switches.values().sum::<u64>() as f64
    }
}

/// Ticks of a second of CPU time.
fn ticks_per_second() -> f64 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    #[test]
    fn a_family_holds_grandchildren_and_what_each_has_used() {
        // A shell that starts another one, which uses CPU time and then waits for the end of its input.
        let inner = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; read end";
        let mut shell = Command::new("/bin/sh")
            .args(["-c", &format!("/bin/sh -c '{inner}'; :")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let first = shell.id() as libc::pid_t;
        let before = Used::of(first).expect("it runs");
        let mut said = BufReader::new(shell.stdout.take().expect("its output"));
        said.read_line(&mut String::new()).expect("it is done");
        let found = family(first);
        let used = Used::of(first).expect("it still runs").since(&before);
        drop(shell.stdin.take());
        said.read_to_end(&mut Vec::new()).expect("its end");
        shell.wait().expect("a child");
        assert!(found.contains(&first) && found.len() == 2, "{found:?}");
        assert!(!found.contains(&(std::process::id() as libc::pid_t)), "no parent is of it");
        assert!(used.user > 0.0, "the grandchild's, which nobody has waited for");
        assert!(Used::of(first).is_err(), "it has ended");
    }

    #[test]
    fn since_is_the_difference_and_never_below_nothing() {
        let used = |user, transfers, switches: &[(libc::pid_t, u64)]| Used {
            user,
            system: 1.0,
            transfers,
            switches: switches.iter().copied().collect(),
        };
        let before = used(2.0, Some(100.0), &[(1, 10), (2, 50)]);
        let since = used(2.5, Some(130.0), &[(1, 14), (3, 6)]).since(&before);
        assert_eq!((since.user, since.system), (0.5, 0.0));
        assert_eq!(since.transfers, Some(30.0));
        assert_eq!(since.all_switches(), 10.0, "4 of a thread that was there, 6 of a new one");
        let less = used(1.0, None, &[(1, 3)]).since(&before);
        assert_eq!((less.user, less.transfers, less.all_switches()), (0.0, None, 0.0));
    }
}
