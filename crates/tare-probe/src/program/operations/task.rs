//! What is known of a process whose operations are counted: what its descriptors are, and how it came by its memory.

use super::tally::Tally;
use crate::program::proc::{self, Pages, Stat, Touched};
use std::collections::HashMap;
use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use tare_proto::transfer_kind;

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
    /// Faults that are accounted for, pages, and mappings that were touched.
    faults: u64,
    pages: Pages,
    touched: Touched,
    /// Faults that the price of its beginning holds.
    owed: u64,
    /// Pages of files that the price of its program's start holds.
    held: f64,
    /// Mappings that it may have to touch for the first time again, since it has forked or was forked.
    again: u64,
    /// The operation that a transfer of each descriptor is.
    descriptors: HashMap<u64, &'static str>,
}

/// Pages around a faulting one that the kernel maps with it, when they are in memory already; and the share of these that a program
/// reads, where a layer that maps each by itself pays for it. User-Mode Linux told it of sixteen programs: 0.32 to 0.48. Forked children,
/// which do little, read less: those of bash 0.29, those of python3 0.16.
const AROUND: u64 = 16;
const READ: f64 = 0.4;
const READ_BY_CHILD: f64 = 0.2;

impl Task {
    pub fn new(pid: libc::pid_t, begun: Begun) -> Task {
        let owed = if begun == Begun::Forked { OF_CHILD } else { 0 };
        let (pages, touched) = (Pages::default(), Touched::default());
        let descriptors = HashMap::new();
        Task { pid, begun, faults: 0, pages, touched, owed, held: 0.0, again: 0, descriptors }
    }

    /// A copy of a process that has touched these mappings.
    pub fn forked(pid: libc::pid_t, parents: Touched) -> Task {
        let again = parents.of_files + parents.of_memory;
        Task { again, ..Task::new(pid, Begun::Forked) }
    }

    /// A process that has run for a while: what it has done before is not counted.
    pub fn running(pid: libc::pid_t) -> Task {
        let (pages, touched) = (Pages::of(pid), Touched::of(pid));
        Task { faults: faults(pid), pages, touched, ..Task::new(pid, Begun::Other) }
    }

    /// What kind of transfers `descriptor` has.
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
        self.owed += OF_EXEC;
        self.account(tally);
        self.begun = Begun::Other;
        self.pages = Pages::default();
        self.touched = AT_START;
        (self.owed, self.held, self.again) = (OF_START, READ_AT_START, 0);
        self.forget_all();
    }

    /// The mappings of which its copy has copies, beyond those of the rows' program. A layer may map them anew in both, and then
    /// the first fault in each is dear.
    pub fn forks(&mut self, tally: &mut Tally) -> Touched {
        let pages = Pages::of(self.pid).own.saturating_sub(OWN_AT_FORK);
        tally.add_all("fork_page", pages as f64);
        let touched = Touched::of(self.pid).since(AT_START);
        self.owed += OF_PARENT;
        self.again += touched.of_memory;
        touched
    }

    /// It unmaps memory of so many bytes. Of large mappings it is noted what they had, since at its end nothing tells of them.
    pub fn unmaps(&mut self, tally: &mut Tally, size: u64) {
        if size >= LARGE && self.begun == Begun::Other {
            self.account(tally);
        }
    }

    /// It ends, and its memory is still there.
    pub fn ends(&mut self, tally: &mut Tally) {
        self.account(tally);
    }

    /// Faults since the last time that no price of a process holds, by what they are for: of a copy to copy a page, of a program's
    /// own memory the first ones of its mappings, others to map its files, as far as these are mapped now, and the rest for fresh
    /// memory. That rest is below 0 where fewer faults happen than a price holds.
    fn account(&mut self, tally: &mut Tally) {
        let now = faults(self.pid).max(self.faults);
        let beyond = (now - self.faults) as f64 - self.owed as f64;
        (self.faults, self.owed) = (now, 0);
        let new = beyond.max(0.0);
        let too_few = beyond.min(0.0);
        let again = new.min(self.again as f64);
        let (before, now) = (self.pages, Pages::of(self.pid));
        self.pages = now;
        let pages = now.of_files.saturating_sub(before.of_files);
        if self.begun == Begun::Forked {
            // It has no page of a file before it touches that.
            let of_files = pages.div_ceil(AROUND).saturating_sub(FILES_OF_CHILD) as f64;
            let of_files = of_files.min(new - again);
            let read = READ_BY_CHILD * of_files * AROUND as f64;
            tally.add_all("fault_mapping", again);
            tally.add_all("fault_file", read);
            tally.add_all("fault_copy", new - again - of_files + too_few);
            return;
        }
        let shared = now.shared.saturating_sub(before.shared) as f64;
        let touched = Touched::of(self.pid);
        let first = touched.since(self.touched);
        self.touched = touched;
        let first_of_files = first.of_files as f64;
        let first_of_memory = first.of_memory as f64 + again;
        let of_files = new.min(pages.div_ceil(AROUND) as f64);
        let shared = shared.min(new - of_files);
        let of_memory = new - of_files - shared;
        let read = READ * (of_files * AROUND as f64).min(pages as f64);
        let held = std::mem::take(&mut self.held);
        // A page of data was mostly read before it was written to.
        let data = (first.data as f64).min(of_memory);
        tally.add_all("fault_mapping", new.min(first_of_files + first_of_memory));
        tally.add_all("fault_file", (read - first_of_files - held).max(0.0) + data);
        tally.add_all("fault_shared", shared);
        tally.add_all("fault_anonymous", (of_memory - first_of_memory).max(0.0) + too_few);
    }
}

/// Faults that the rows of operations take and that are in their prices: of `operations/fork` in its child and in its parent, of
/// `operations/exec` while the kernel exchanges the program and when the new one starts. Of those of the child, some are of files. A test
/// counts them.
const OF_CHILD: u64 = 6;
const FILES_OF_CHILD: u64 = 4;
const OF_PARENT: u64 = 2;
const OF_EXEC: u64 = 5;
const OF_START: u64 = 35;

/// Mappings that the program of `operations/exec` touches, which is that of `operations/fork` as well.
const AT_START: Touched = Touched { of_files: 5, of_memory: 5, data: 4 };

/// Pages of files that the program of `operations/exec` touches beyond the faults of [`OF_START`]: in User-Mode Linux, where each page is
/// a fault, it takes 45 faults more than natively.
const READ_AT_START: f64 = 45.0;

/// Pages of its own that the program of `operations/fork` has.
const OWN_AT_FORK: u64 = 60;

/// Bytes of a mapping that is looked at before it is unmapped: looking takes as long as some thousand calls.
const LARGE: u64 = 4 << 20;

/// Minor faults of process `pid` so far; none of one that has gone.
fn faults(pid: libc::pid_t) -> u64 {
    Stat::of(pid).map_or(0, |stat| stat.minor_faults())
}

fn kind(pid: libc::pid_t, descriptor: u64) -> &'static str {
    let name = fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).unwrap_or_default();
    match transfer_kind(&name.to_string_lossy()) {
        "socket" if is_unix(pid, descriptor) => "socket_unix",
        class => class,
    }
}

/// Whether a descriptor of `pid`, a socket, is a Unix one; not where the kernel cannot lend it.
fn is_unix(pid: libc::pid_t, descriptor: u64) -> bool {
    // SAFETY: pidfd_open takes two numbers.
    let process = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let Some(process) = owned(process) else { return false };
    // SAFETY: pidfd_getfd takes three numbers.
    let socket =
        unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), descriptor, 0) };
    let Some(socket) = owned(socket) else { return false };
    let mut domain: libc::c_int = 0;
    let mut size = size_of_val(&domain) as libc::socklen_t;
    let place = (&raw mut domain).cast();
    // SAFETY: `place` has room for `size` bytes.
    let asked = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_DOMAIN, place, &mut size)
    };
    asked == 0 && domain == libc::AF_UNIX
}

/// A descriptor that a call has made.
fn owned(result: libc::c_long) -> Option<OwnedFd> {
    // SAFETY: the callers have just got it from the kernel, and nobody else owns it.
    (result >= 0).then(|| unsafe { OwnedFd::from_raw_fd(result as RawFd) })
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
