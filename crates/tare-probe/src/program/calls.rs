//! The system calls of a program, by name: of one run under ptrace(2), which stops at every call and so takes many times as
//! long. No time is taken from that run.

use super::call_names;
use super::run::{self, Ended, Surroundings};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::io;
use std::mem;
use std::ptr;
use tare_proto::Counter;

/// How the names of the counters begin.
const COUNTER: &str = "perf/calls/";

/// A stop at a call has this bit beside SIGTRAP.
const CALL: libc::c_int = 0x80;

/// What is told of every process that the program starts; all end with the tracer.
const OPTIONS: libc::c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_EXITKILL;

/// How often the program and what it starts make each call, in one run. The error says why that is not known.
pub fn count(place: &Surroundings) -> io::Result<Vec<Counter>> {
    let mut counted = BTreeMap::new();
    let ran = run::traced(place, |pid| follow(pid, &mut counted))?;
    match ran {
        Ended::By(0) => {}
        other => return Err(io::Error::other(other.why().unwrap_or_default())),
    }
    let counter = |(number, times): (u64, u64)| {
        Counter::new(&format!("{COUNTER}{}", call_names::of(number)), times as f64)
    };
    Ok(counted.into_iter().map(counter).collect())
}

/// Follows `first`, which stops when it begins, and all that it starts, until it ends; its wait status.
fn follow(first: u32, counted: &mut BTreeMap<u64, u64>) -> io::Result<i32> {
    let first = first as libc::pid_t;
    let mut known = BTreeSet::new();
    loop {
        let mut status = 0;
        // SAFETY: `status` is a valid place to write to.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL) };
        if pid < 0 {
            let error = io::Error::last_os_error();
            if error.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            return Err(error);
        }
        if !libc::WIFSTOPPED(status) {
            if pid == first {
                return Ok(status);
            }
            continue;
        }
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let is_new = known.insert(pid);
        let deliver = match signal {
            _ if is_new => {
                // Its first stop is the tracer's own doing: SIGTRAP after exec, SIGSTOP of a child.
                request(libc::PTRACE_SETOPTIONS, pid, OPTIONS as usize);
                0
            }
            _ if event != 0 => 0,
            signal if signal == libc::SIGTRAP | CALL => {
                if let Some(number) = entered(pid) {
                    *counted.entry(number).or_default() += 1;
                }
                0
            }
            signal => signal,
        };
        request(libc::PTRACE_SYSCALL, pid, deliver as usize);
    }
}

/// The call that `pid` stops at, if it is about to make one.
fn entered(pid: libc::pid_t) -> Option<u64> {
    // SAFETY: all zeros is a valid value.
    let mut info: libc::ptrace_syscall_info = unsafe { mem::zeroed() };
    let size = mem::size_of_val(&info) as *mut c_void;
    // SAFETY: the kernel writes at most `size` bytes to the structure.
    let got = unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid, size, &raw mut info) };
    if got <= 0 || info.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
        return None;
    }
    // SAFETY: the kernel has filled this member, as the kind of stop says.
    Some(unsafe { info.u.entry }.nr)
}

/// A request that writes nothing here. A process that was killed meanwhile refuses it, and its end is heard of next.
fn request(what: libc::c_uint, pid: libc::pid_t, data: usize) {
    // SAFETY: these requests take numbers.
    unsafe { libc::ptrace(what, pid, ptr::null_mut::<c_void>(), data as *mut c_void) };
}
