//! The operations of a program: of one run under ptrace(2), which takes longer. No time is taken from that run. A short program
//! stops at every call ([`super::filter`]); of a longer one the later calls are looked at now and then ([`super::traps`]), where the
//! kernel can count them.

use super::call::Call;
use super::filter;
use super::listen::Living;
use super::made::Calls;
use super::run::{self, Ended, Surroundings};
use super::seen::Seen;
use super::stopped::{CALL, TOLD, child_of_event, info, next_stop, request, signal_code};
use super::task::Begun;
use super::transfers;
use super::traps::{OF_COUNT, Traps};
use std::io;
use tare_proto::{COUNTED_SHARE, Counter};

/// What is told of every process that the program starts; all end with the tracer.
const OPTIONS: libc::c_int = TOLD | libc::PTRACE_O_TRACESECCOMP | libc::PTRACE_O_EXITKILL;

/// Of a program that takes less time than this every call is looked at.
const SHORT_NS: f64 = 3e8;

/// How often the program and what it starts make each call and each operation, in one run; without a tracer it takes `ns` and makes
/// `free` reads and writes. The error says why that is not known.
pub fn count(place: &Surroundings, ns: f64, free: Option<f64>) -> io::Result<Vec<Counter>> {
    let calls = if ns > SHORT_NS { Calls::known() } else { None };
    let mut tracer = Tracer { seen: Seen::default(), transfers: None, traps: None };
    let ran = run::traced(place, calls.is_none(), |pid, living| {
        let pid = pid as libc::pid_t;
        tracer.traps = calls.map(|calls| Traps::of(calls, pid, ns)).transpose()?;
        tracer.follow(pid, living)
    })?;
    if let Some(why) = tracer.seen.refused.take() {
        return Err(io::Error::other(why));
    }
    match ran {
        Ended::By(0) => {
            let (each, share) = tracer.traps.map_or((1.0, 1.0), |traps| traps.each(&tracer.seen));
            let mut counters = tracer.seen.counters(each);
            if let Some((traced, free)) = tracer.transfers.zip(free) {
                transfers::correct(&mut counters, traced, free);
            }
            counters.push(Counter::new(COUNTED_SHARE, share));
            Ok(counters)
        }
        other => Err(io::Error::other(other.why().unwrap_or_default())),
    }
}

struct Tracer {
    seen: Seen,
    /// Reads and writes until the end of the program's first process.
    transfers: Option<f64>,
    /// Of a program that is not filtered.
    traps: Option<Traps>,
}

impl Tracer {
    /// Follows `first`, which stops when it begins, and all that it starts, until it ends; its wait status. What it leaves is
    /// counted until then, as far as its time goes.
    fn follow(&mut self, first: libc::pid_t, living: &Living) -> io::Result<i32> {
        loop {
            let leave = |tid| {
                if tid == first {
                    living.leave()
                }
            };
            let (tid, status) = match next_stop(leave) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if libc::WIFSTOPPED(status) {
                if tid == first && status >> 16 == libc::PTRACE_EVENT_EXIT {
                    self.transfers = transfers::of(tid as u32);
                }
                self.stopped(tid, status)?;
            } else {
                self.seen.ends(tid);
                self.traps.iter_mut().for_each(|traps| traps.ends(tid));
                if tid == first {
                    self.seen.stops();
                    return Ok(status);
                }
            }
        }
    }

    /// What `tid` has stopped for, and on it goes.
    fn stopped(&mut self, tid: libc::pid_t, status: i32) -> io::Result<()> {
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let mut deliver = 0;
        if !self.seen.knows(tid) {
            // Its first stop is the tracer's own doing: SIGTRAP after exec, SIGSTOP of a child.
            self.appears(tid);
            self.arm(tid)?;
        } else if event == libc::PTRACE_EVENT_SECCOMP {
            self.at_call(tid);
        } else if event != 0 {
            self.seen.event(tid, event);
            if event == libc::PTRACE_EVENT_EXEC {
                let former = child_of_event(tid).filter(|former| *former != tid);
                self.traps.iter_mut().zip(former).for_each(|(traps, former)| traps.ends(former));
                self.arm(tid)?;
            }
        } else if signal == libc::SIGTRAP | CALL {
            self.at_call(tid);
        } else if let Some(traps) = &mut self.traps
            && signal == libc::SIGTRAP
            && signal_code(tid) == Some(OF_COUNT)
        {
            traps.is_due(tid)?;
        } else {
            self.seen.signal(tid, signal);
            deliver = signal;
        }
        if self.seen.refused.is_some() {
            // SAFETY: kill has no memory preconditions; the process is traced, and so has not been waited for.
            unsafe { libc::kill(tid, libc::SIGKILL) };
        }
        if let Some(traps) = &mut self.traps {
            traps.may_begin(&mut self.seen)?;
        }
        let looks = self.traps.as_ref().is_some_and(|traps| traps.looks(tid));
        let stops = looks || self.seen.waits_for(tid);
        let go = if stops { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        request(go, tid, deliver as usize);
        Ok(())
    }

    /// Thread `tid` is stopped at some of its calls, if not all are looked at.
    fn arm(&mut self, tid: libc::pid_t) -> io::Result<()> {
        self.traps.as_mut().map_or(Ok(()), |traps| traps.arm(tid))
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

    /// A call begins, which has a number of this architecture or cannot be counted, or one has ended whose result is waited for.
    fn at_call(&mut self, tid: libc::pid_t) {
        let Some(info) = info(tid) else { return };
        let begun = match info.op {
            libc::PTRACE_SYSCALL_INFO_SECCOMP => {
                // SAFETY: the kernel has filled this member, as the kind of stop says.
                let begun = unsafe { info.u.seccomp };
                (begun.ret_data != filter::FOREIGN).then_some((begun.nr, begun.args))
            }
            libc::PTRACE_SYSCALL_INFO_ENTRY => {
                // SAFETY: as above.
                let begun = unsafe { info.u.entry };
                filter::is_own(info.arch, begun.nr).then_some((begun.nr, begun.args))
            }
            // SAFETY: as above.
            libc::PTRACE_SYSCALL_INFO_EXIT => return self.left(tid, unsafe { info.u.exit }.sval),
            _ => return,
        };
        if self.traps.as_ref().is_some_and(|traps| !traps.looks(tid)) {
            return; // it was on its way here when its calls were no longer looked at
        }
        match begun {
            Some((number, args)) => self.seen.entered(tid, Call { number, args }),
            None => self.seen.refuse(super::OF_32_BITS),
        }
        if !self.seen.waits_for(tid) {
            self.traps.iter_mut().for_each(|traps| traps.is_done(tid));
        }
    }

    fn left(&mut self, tid: libc::pid_t, result: i64) {
        self.seen.left(tid, result);
        self.traps.iter_mut().for_each(|traps| traps.is_done(tid));
    }
}
