//! The operations of a program that makes many calls: its first ones are all looked at, and of the others one of so many. The kernel
//! counts them meanwhile, and stops the thread when it is time to look.
//!
//! Every thread has an event of its own. Events that the kernel lets a thread inherit would end with the one that they came from,
//! which may end first: whatever becomes a daemon does so.

use super::descriptors::MoreFiles;
use super::made::{Calls, Made};
use super::seen::Seen;
use crate::numbers;
use crate::perf::set_period;
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;

/// One call of so many is looked at. It is a prime number, so that no rhythm of a program is likely to keep step with it.
const PERIOD: u64 = 61;

/// What it costs to look at a call while all are looked at, and the part of a program's time that this may take.
const LOOK_NS: f64 = 15_000.0;
const PART: f64 = 0.5;

/// Why a thread has got a SIGTRAP: the kernel's `TRAP_PERF`.
pub const OF_COUNT: libc::c_int = 6;

/// Calls that are counted, and looked at now and then.
pub struct Traps {
    calls: Calls,
    made: Made,
    /// So many are all looked at.
    first: f64,
    /// What was there when that ended.
    begun: Option<Begun>,
    /// By thread.
    open: HashMap<libc::pid_t, Trap>,
    /// Threads whose next call is looked at.
    due: HashSet<libc::pid_t>,
    random: u64,
    _room: MoreFiles,
}

/// Calls until the first time that not all were looked at.
struct Begun {
    made: f64,
    seen: f64,
}

/// What stops a thread after so many calls.
struct Trap {
    event: OwnedFd,
    /// Whether its period is still the first one, which is shorter.
    is_first: bool,
}

impl Traps {
    /// Of the program `pid`, which takes `ns` without a tracer.
    pub fn new(calls: Calls, pid: libc::pid_t, ns: f64) -> io::Result<Traps> {
        Ok(Traps {
            made: calls.count(pid)?,
            calls,
            first: PART * ns / LOOK_NS,
            begun: None,
            open: HashMap::new(),
            due: HashSet::new(),
            random: numbers::SEED,
            _room: MoreFiles::allow(),
        })
    }

    /// Begins to look at few calls only, if all were looked at for long enough.
    pub fn may_begin(&mut self, seen: &mut Seen) -> io::Result<()> {
        if self.begun.is_some() || seen.calls() < self.first {
            return Ok(());
        }
        seen.becomes_blind();
        self.begun = Some(Begun { made: self.made.so_far(), seen: seen.calls() });
        seen.threads().into_iter().try_for_each(|tid| self.arm(tid))
    }

    /// Thread `tid`, which is stopped, begins, or is another program now, or the first threads are to be stopped. Which of its first
    /// calls is looked at is random, so that those of short processes are looked at as often as all others.
    pub fn arm(&mut self, tid: libc::pid_t) -> io::Result<()> {
        if self.begun.is_none() {
            return Ok(());
        }
        let first = (numbers::next(&mut self.random) >> 11) % PERIOD;
        if first == 0 {
            self.due.insert(tid);
        }
        let period = if first == 0 { PERIOD } else { first };
        match self.calls.trap(tid, period) {
            Ok(event) => _ = self.open.insert(tid, Trap { event, is_first: first > 0 }),
            // It has been killed meanwhile.
            Err(why) if why.raw_os_error() == Some(libc::ESRCH) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    pub fn ends(&mut self, tid: libc::pid_t) {
        self.open.remove(&tid);
        self.due.remove(&tid);
    }

    /// Thread `tid` was stopped, to look at its next call.
    pub fn is_due(&mut self, tid: libc::pid_t) -> io::Result<()> {
        self.due.insert(tid);
        match self.open.get_mut(&tid).filter(|trap| trap.is_first) {
            Some(trap) => {
                trap.is_first = false;
                set_period(&trap.event, PERIOD)
            }
            None => Ok(()),
        }
    }

    pub fn is_done(&mut self, tid: libc::pid_t) {
        self.due.remove(&tid);
    }

    /// Whether the next call of `tid` is to be looked at.
    pub fn looks(&self, tid: libc::pid_t) -> bool {
        self.begun.is_none() || self.due.contains(&tid)
    }

    /// How many calls each one stands for that was seen since not all were, and the share of all calls that was seen.
    pub fn each(&self, seen: &Seen) -> (f64, f64) {
        let all = self.made.so_far().max(seen.calls());
        let each = self
            .begun
            .as_ref()
            .map_or(1.0, |then| (all - then.made) / (seen.calls() - then.seen).max(1.0));
        (each.max(1.0), seen.calls() / all.max(1.0))
    }
}
