//! System calls as the kernel counts them, without a tracer: by its tracepoints at the begin and the end of every call. It can also send
//! a signal after every so many of them, which stops a traced thread.

use crate::perf::{TRACEPOINT, TRAPS, open, read, set_filter};
use crate::process::Child;
use crate::program::filter::CLOCKS;
use crate::program::stage::mount;
use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

#[derive(Clone, Copy)]
pub struct Calls {
    /// The number of the tracepoint at the begin of a call, and of the one at its end.
    begin: u64,
    end: u64,
}

impl Calls {
    /// `None` where the kernel has no such tracepoints, does not tell this process, or sends no signals of it (before Linux 5.13).
    pub fn known() -> Option<Calls> {
        let calls = tracepoints().or_else(mounted_tracepoints)?;
        let fine =
            calls.count(0).is_ok() && calls.trap(0, NEVER).is_ok() && calls.count_apart(0).is_ok();
        fine.then_some(calls)
    }

    /// Counts the calls of `pid` from here on, and of what it starts.
    pub fn count(&self, pid: libc::pid_t) -> io::Result<Made> {
        open(pid, TRACEPOINT, self.begin, 0, 0).map(Made)
    }

    /// The same of those that no tracer looks at.
    pub fn count_apart(&self, pid: libc::pid_t) -> io::Result<Apart> {
        let of = |tracepoint, condition: String| -> io::Result<Made> {
            let event = open(pid, TRACEPOINT, tracepoint, 0, 0)?;
            set_filter(&event, &CString::new(condition).expect("no NUL in it"))?;
            Ok(Made(event))
        };
        let one_of = |calls: &[libc::c_long]| {
            calls.iter().map(|call| format!("id == {call}")).collect::<Vec<_>>().join(" || ")
        };
        let starts = one_of(&[libc::SYS_execve, libc::SYS_execveat]);
        Ok(Apart {
            clocks: of(self.begin, one_of(&CLOCKS))?,
            futexes: of(self.begin, one_of(&[libc::SYS_futex]))?,
            failed_starts: of(self.end, format!("ret < 0 && ({starts})"))?,
        })
    }

    /// Sends thread `tid` a signal after every `period` calls, for as long as this is there and until it becomes another program.
    pub fn trap(&self, tid: libc::pid_t, period: u64) -> io::Result<OwnedFd> {
        open(tid, TRACEPOINT, self.begin, period, TRAPS)
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

/// Calls of a program that it does not stop for.
pub struct Apart {
    pub clocks: Made,
    pub futexes: Made,
    pub failed_starts: Made,
}

/// Where the kernel keeps its tracepoints.
const TRACING: &str = "/sys/kernel/tracing";

fn tracepoints() -> Option<Calls> {
    let number = |name: &str| {
        let file = format!("{TRACING}/events/raw_syscalls/{name}/id");
        fs::read_to_string(file).ok()?.trim().parse().ok()
    };
    Some(Calls { begin: number("sys_enter")?, end: number("sys_exit")? })
}

/// The same where nobody has mounted that: a child mounts it for itself.
fn mounted_tracepoints() -> Option<Calls> {
    let (mut ours, theirs) = UnixStream::pair().ok()?;
    let child = Child::start(|| {
        // SAFETY: unshare takes a number.
        let own = unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0;
        let private = libc::MS_REC | libc::MS_PRIVATE;
        let done = own
            && mount("none", Path::new("/"), "", private, "").is_ok()
            && mount("none", Path::new(TRACING), "tracefs", 0, "").is_ok();
        let Some(Calls { begin, end }) = tracepoints().filter(|_| done) else { return 1 };
        let numbers = [begin.to_ne_bytes(), end.to_ne_bytes()].concat();
        i32::from((&theirs).write_all(&numbers).is_err())
    });
    let fine = child.and_then(Child::finish).is_ok_and(|status| status == 0);
    let mut numbers = [[0; 8]; 2];
    let told = fine && ours.read_exact(numbers.as_flattened_mut()).is_ok();
    let [begin, end] = numbers.map(u64::from_ne_bytes);
    told.then_some(Calls { begin, end })
}
