//! What is known of a process whose operations are counted: what its descriptors are, and how it came by its memory.

use super::tally::Tally;
use crate::program::proc::{self, Stat};
use std::collections::HashMap;
use std::fs;
use tare_proto::transfer_class;

#[derive(Clone, Copy, PartialEq)]
pub enum Begun {
    /// As a copy of its parent, with which it shares pages until one of them writes.
    Forked,
    /// With its parent's memory, or with a program's own.
    Other,
}

/// A process, whatever threads it has.
pub struct Task {
    pid: libc::pid_t,
    begun: Begun,
    /// Faults that are accounted for, and mapped pages of files.
    faults: u64,
    mapped: u64,
    /// Faults that the price of its beginning holds.
    owed: u64,
    /// The operation that a transfer of each descriptor is.
    descriptors: HashMap<u64, &'static str>,
}

/// Pages around a faulting one that the kernel maps with it, when they are in memory already; and how many of these a program
/// reads, where a layer that maps each by itself pays for it. Half is a guess that two programs of shells agree with.
const AROUND: u64 = 16;
const READ: f64 = 0.5;

impl Task {
    pub fn new(pid: libc::pid_t, begun: Begun) -> Task {
        let owed = if begun == Begun::Forked { OF_CHILD } else { 0 };
        Task { pid, begun, faults: 0, mapped: 0, owed, descriptors: HashMap::new() }
    }

    /// A process that has run for a while: what it has done before is not counted.
    pub fn running(pid: libc::pid_t) -> Task {
        let mapped = proc::mapped_pages(pid);
        Task { faults: faults(pid), mapped, ..Task::new(pid, Begun::Other) }
    }

    /// Which operation a read or a write of `descriptor` is.
    pub fn transfer(&mut self, descriptor: u64) -> &'static str {
        let pid = self.pid;
        self.descriptors.entry(descriptor).or_insert_with(|| kind(pid, descriptor))
    }

    /// Nothing is known of `descriptor` from here on.
    pub fn forget(&mut self, descriptor: u64) {
        self.descriptors.remove(&descriptor);
    }

    /// Nothing is known of any descriptor.
    pub fn forget_all(&mut self) {
        self.descriptors.clear();
    }

    /// It has become another program: what it did before was done with its parent's pages.
    pub fn becomes_another(&mut self, tally: &mut Tally) {
        self.account(tally);
        self.begun = Begun::Other;
        self.mapped = 0;
        self.owed = OF_EXEC;
        self.forget_all();
    }

    pub fn forks(&mut self) {
        self.owed += OF_PARENT;
    }

    /// It ends, and its memory is still there.
    pub fn ends(&mut self, tally: &mut Tally) {
        self.account(tally);
    }

    /// Faults since the last time, by what they are for: of a copy to copy a page, of a program's own memory to map its files,
    /// as far as these are mapped now, and the rest for fresh memory.
    fn account(&mut self, tally: &mut Tally) {
        let now = faults(self.pid).max(self.faults);
        let all = now - self.faults;
        self.faults = now;
        let new = all.saturating_sub(self.owed);
        self.owed -= all - new;
        if self.begun == Begun::Forked {
            tally.add_all("fault_copy", new as f64);
            return;
        }
        let pages = proc::mapped_pages(self.pid).saturating_sub(self.mapped);
        self.mapped += pages;
        let of_files = new.min(pages.div_ceil(AROUND));
        tally.add_all("fault_file", READ * pages.min(of_files * AROUND) as f64);
        tally.add_all("fault_anonymous", (new - of_files) as f64);
    }
}

/// Faults that the rows of operations take and that are in their prices: of `operations/fork` in its child and in its parent, of
/// `operations/exec` in the program that it starts. A test counts them.
const OF_CHILD: u64 = 8;
const OF_PARENT: u64 = 4;
const OF_EXEC: u64 = 40;

/// Minor faults of process `pid` so far; none of one that has gone.
fn faults(pid: libc::pid_t) -> u64 {
    Stat::of(pid).map_or(0, |stat| stat.minor_faults())
}

fn kind(pid: libc::pid_t, descriptor: u64) -> &'static str {
    let name = fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).unwrap_or_default();
    transfer_class(&name.to_string_lossy())
}

pub fn process_of(tid: libc::pid_t) -> libc::pid_t {
    proc::status(tid, "Tgid:").and_then(|pid| pid.parse().ok()).unwrap_or(tid)
}

/// Whether process `pid` has other rights than whoever started it: it is set-user-id or set-group-id.
pub fn has_other_rights(pid: libc::pid_t) -> bool {
    let differs = |key: &str| {
        let ids = proc::status(pid, key).unwrap_or_default();
        let mut ids = ids.split_whitespace();
        ids.next() != ids.next()
    };
    differs("Uid:") || differs("Gid:")
}
