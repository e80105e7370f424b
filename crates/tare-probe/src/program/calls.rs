//! The operations of a program: of one run under ptrace(2), which stops at every call ([`super::filter`]) and so takes longer.
//! No time is taken from that run.

use super::filter;
use super::run::{self, Ended, Surroundings};
use super::seen::{Call, Seen};
use super::stopped::{CALL, TOLD, info, next_stop, request};
use super::task::Begun;
use super::transfers;
use std::io;
use tare_proto::Counter;

/// What is told of every process that the program starts; all end with the tracer.
const OPTIONS: libc::c_int = TOLD | libc::PTRACE_O_TRACESECCOMP | libc::PTRACE_O_EXITKILL;

/// How often the program and what it starts make each call and each operation, in one run; `free` are the reads and writes of a
/// run without a tracer. The error says why that is not known.
pub fn count(place: &Surroundings, free: Option<f64>) -> io::Result<Vec<Counter>> {
    let mut tracer = Tracer { seen: Seen::nothing(), transfers: None };
    let ran = run::traced(place, |pid| tracer.follow(pid as libc::pid_t))?;
    if let Some(why) = tracer.seen.refused.take() {
        return Err(io::Error::other(why));
    }
    match ran {
        Ended::By(0) => {
            let mut counters = tracer.seen.counters();
            if let Some((traced, free)) = tracer.transfers.zip(free) {
                transfers::correct(&mut counters, traced, free);
            }
            Ok(counters)
        }
        other => Err(io::Error::other(other.why().unwrap_or_default())),
    }
}

struct Tracer {
    seen: Seen,
    /// Reads and writes until the end of the program's first process.
    transfers: Option<f64>,
}

impl Tracer {
    /// Follows `first`, which stops when it begins, and all that it starts, until it ends; its wait status.
    fn follow(&mut self, first: libc::pid_t) -> io::Result<i32> {
        loop {
            let (tid, status) = match next_stop() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if libc::WIFSTOPPED(status) {
                if tid == first && status >> 16 == libc::PTRACE_EVENT_EXIT {
                    self.transfers = transfers::of(tid as u32);
                }
                self.stopped(tid, status);
            } else {
                self.seen.ends(tid);
                if tid == first {
                    return Ok(status);
                }
            }
        }
    }

    /// What `tid` has stopped for, and on it goes.
    fn stopped(&mut self, tid: libc::pid_t, status: i32) {
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let deliver = if !self.seen.knows(tid) {
            // Its first stop is the tracer's own doing: SIGTRAP after exec, SIGSTOP of a child.
            self.appears(tid);
            0
        } else if event == libc::PTRACE_EVENT_SECCOMP {
            self.entered(tid);
            0
        } else if event != 0 {
            self.seen.event(tid, event);
            0
        } else if signal == libc::SIGTRAP | CALL {
            self.left(tid);
            0
        } else {
            self.seen.signal(tid, signal);
            signal
        };
        let go = if self.seen.waits_for(tid) { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        if self.seen.refused.is_some() {
            // SAFETY: kill has no memory preconditions; the process is traced, and so has not been waited for.
            unsafe { libc::kill(tid, libc::SIGKILL) };
        }
        request(go, tid, deliver as usize);
    }

    /// A thread that nothing was known of.
    fn appears(&mut self, tid: libc::pid_t) {
        request(libc::PTRACE_SETOPTIONS, tid, OPTIONS as usize);
        if self.seen.is_empty() {
            self.seen.runs(tid);
            return self.seen.starts_a_program(tid);
        }
        self.seen.begins(tid, Begun::Other);
    }

    /// A call begins, which has a number of this architecture or cannot be counted.
    fn entered(&mut self, tid: libc::pid_t) {
        let Some(info) = info(tid).filter(|info| info.op == libc::PTRACE_SYSCALL_INFO_SECCOMP)
        else {
            return;
        };
        // SAFETY: the kernel has filled this member, as the kind of stop says.
        let begun = unsafe { info.u.seccomp };
        if begun.ret_data == filter::FOREIGN {
            return self.seen.refuse(super::OF_32_BITS);
        }
        self.seen.entered(tid, Call { number: begun.nr, args: begun.args });
    }

    /// A call has ended whose result says what it was.
    fn left(&mut self, tid: libc::pid_t) {
        if let Some(info) = info(tid).filter(|info| info.op == libc::PTRACE_SYSCALL_INFO_EXIT) {
            // SAFETY: the kernel has filled this member, as the kind of stop says.
            self.seen.left(tid, unsafe { info.u.exit }.sval);
        }
    }
}
