//! System calls as the kernel counts them, without a tracer: by its tracepoint at the begin of every call. It can also send a signal
//! after every so many of them, which stops a traced thread.

use crate::perf::{TRACEPOINT, TRAPS, open, read};
use crate::process::Child;
use crate::program::stage::mount;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

pub struct Calls(u64);

impl Calls {
    /// `None` where the kernel has no such tracepoint, does not tell this process, or sends no signals of it (before Linux 5.13).
    pub fn known() -> Option<Calls> {
        let calls = tracepoint().or_else(mounted_tracepoint).map(Calls)?;
        let fine = calls.count(0).is_ok() && calls.trap(0, NEVER).is_ok();
        fine.then_some(calls)
    }

    /// Counts the calls of `pid` from here on, and of what it starts.
    pub fn count(&self, pid: libc::pid_t) -> io::Result<Made> {
        open(pid, TRACEPOINT, self.0, 0, 0).map(Made)
    }

    /// Sends thread `tid` a signal after every `period` calls, for as long as this is there and until it becomes another program.
    pub fn trap(&self, tid: libc::pid_t, period: u64) -> io::Result<OwnedFd> {
        open(tid, TRACEPOINT, self.0, period, TRAPS)
    }
}

/// A period that no program reaches.
const NEVER: u64 = 1 << 60;

pub struct Made(OwnedFd);

impl Made {
    pub fn so_far(&self) -> f64 {
        read(&self.0).unwrap_or(0.0)
    }
}

/// Where the kernel keeps its tracepoints.
const TRACING: &str = "/sys/kernel/tracing";

fn tracepoint() -> Option<u64> {
    let file = format!("{TRACING}/events/raw_syscalls/sys_enter/id");
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The same where nobody has mounted that: a child mounts it for itself.
fn mounted_tracepoint() -> Option<u64> {
    let (mut ours, theirs) = UnixStream::pair().ok()?;
    let child = Child::start(|| {
        // SAFETY: unshare takes a number.
        let own = unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0;
        let private = libc::MS_REC | libc::MS_PRIVATE;
        let done = own
            && mount("none", Path::new("/"), "", private, "").is_ok()
            && mount("none", Path::new(TRACING), "tracefs", 0, "").is_ok();
        let number = tracepoint().filter(|_| done).unwrap_or(0);
        i32::from((&theirs).write_all(&number.to_ne_bytes()).is_err())
    });
    let fine = child.and_then(Child::finish).is_ok_and(|status| status == 0);
    let mut number = [0; 8];
    let told = fine && ours.read_exact(&mut number).is_ok();
    Some(u64::from_ne_bytes(number)).filter(|number| told && *number > 0)
}
