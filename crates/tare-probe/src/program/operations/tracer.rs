//! The one loop under ptrace(2): it waits for what the threads of a program stop for, tells [`Seen`] of it, and lets them go on.
//! Which calls they stop at is the policy's ([`Looks`]).

use super::call::Call;
use super::ptrace::{self, CALL, GROUP_STOP, Heard, Stop, TOLD, asked, next, request, signal_code};
use super::seen::Seen;
use super::task::Begun;
use super::traps::{OF_COUNT, Traps};
use crate::program::filter;
use std::collections::HashSet;
use std::io;

pub enum Looks {
    /// All, by the filter that the program was started under: one stop a call, and a second one where its result matters.
    Filtered,
    /// All at first and then one of so many, as the kernel counts them.
    Sampled(Traps),
    /// All, of a program that ran before: two stops a call.
    All,
}

/// A tracer of the threads that it has seen; this thread is their tracer to the kernel.
pub struct Tracer {
    pub seen: Seen,
    pub looks: Looks,
    /// The kernel counts some calls of programs that are started (see [`super::made`]). They read clocks by system calls then.
    pub counts_apart: bool,
}

/// What is told of a program that was started to be traced; all of it ends with the tracer.
const OF_STARTED: libc::c_int = TOLD | libc::PTRACE_O_TRACESECCOMP | libc::PTRACE_O_EXITKILL;

/// Why a program with foreign calls is refused.
const OF_32_BITS: &str = "it makes system calls of another architecture (a 32-bit program): these cannot be counted, and \
                          neither gVisor nor User-Mode Linux runs such a program";

impl Tracer {
    /// Has seen nothing.
    pub fn new(looks: Looks) -> Tracer {
        Tracer { seen: Seen::default(), looks, counts_apart: false }
    }

    /// Waits for a thread that stops, which goes on then, or that ends: which one, and its wait status. `ends` hears of an end while
    /// the kernel still knows all of the process.
    ///
    /// # Errors
    /// Nothing is traced, or a thread's calls cannot be counted.
    pub fn step(
        &mut self,
        ends: impl FnOnce(libc::pid_t),
    ) -> io::Result<Option<(libc::pid_t, i32)>> {
        match next(ends)? {
            Heard::Nothing => Ok(None),
            Heard::Stopped(stop) => self.stopped(stop).map(|()| None),
            Heard::Ended(tid, status) => {
                self.ends(tid);
                Ok(Some((tid, status)))
            }
        }
    }

    /// What a thread has stopped for, and on it goes.
    fn stopped(&mut self, stop: Stop) -> io::Result<()> {
        let Stop { tid, signal, event } = stop;
        let mut deliver = 0;
        if !self.seen.knows(tid) {
            // Its first stop is the tracer's own doing: SIGTRAP after exec, SIGSTOP of a child.
            self.appears(tid)?;
        } else if event == GROUP_STOP {
            // Attached, or stopped by a signal: it stays so until another one goes on with it.
            if signal != libc::SIGTRAP {
                request(libc::PTRACE_LISTEN, tid, 0);
                return Ok(());
            }
        } else if event == libc::PTRACE_EVENT_SECCOMP || signal == libc::SIGTRAP | CALL {
            self.at_call(tid);
        } else if event == libc::PTRACE_EVENT_EXEC {
            // It has the process's number from here on: nobody tells of the end of its own, or of the first thread's.
            stop.former().into_iter().for_each(|former| self.ends(former));
            self.seen.event(tid, event);
            self.hide_clocks(tid);
            self.arm(tid)?;
        } else if event != 0 {
            self.seen.event(tid, event);
        } else if let Looks::Sampled(traps) = &mut self.looks
            && signal == libc::SIGTRAP
            && signal_code(tid) == Some(OF_COUNT)
        {
            traps.is_due(tid)?;
        } else {
            self.seen.signal(tid, signal);
            deliver = signal;
        }
        self.goes_on(tid, deliver)
    }

    /// Lets `tid` go on with a signal, or with none (0), up to where it is looked at next.
    fn goes_on(&mut self, tid: libc::pid_t, deliver: libc::c_int) -> io::Result<()> {
        if self.seen.refused.is_some() && !matches!(self.looks, Looks::All) {
            // SAFETY: kill has no memory preconditions; the process is traced, and so has not been waited for.
            unsafe { libc::kill(tid, libc::SIGKILL) };
        }
        let is_at_calls = match &mut self.looks {
            Looks::All => true,
            Looks::Filtered => self.seen.waits_for(tid),
            Looks::Sampled(traps) => {
                traps.may_begin(&mut self.seen)?;
                traps.looks(tid) || self.seen.waits_for(tid)
            }
        };
        let go = if is_at_calls { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        request(go, tid, deliver as usize);
        Ok(())
    }

    /// A thread that nothing was known of: of a program that was started to be traced the first one is that program.
    fn appears(&mut self, tid: libc::pid_t) -> io::Result<()> {
        if self.seen.is_empty() {
            // What it starts is traced with the same ones.
            request(libc::PTRACE_SETOPTIONS, tid, OF_STARTED as usize);
            self.seen.runs(tid);
            self.seen.starts_a_program(tid);
            self.hide_clocks(tid);
        } else {
            self.seen.begins(tid, Begun::Other);
        }
        self.arm(tid)
    }

    /// Of a thread that has just become another program.
    fn hide_clocks(&self, tid: libc::pid_t) {
        if self.counts_apart {
            ptrace::hide_clocks(tid);
        }
    }

    /// Thread `tid` has ended, or has another number now.
    fn ends(&mut self, tid: libc::pid_t) {
        self.seen.ends(tid);
        if let Looks::Sampled(traps) = &mut self.looks {
            traps.ends(tid);
        }
    }

    /// Thread `tid` is stopped at some of its calls, if not all are looked at.
    fn arm(&mut self, tid: libc::pid_t) -> io::Result<()> {
        match &mut self.looks {
            Looks::Sampled(traps) => traps.arm(tid),
            Looks::Filtered | Looks::All => Ok(()),
        }
    }

    /// A call begins, which has a number of this architecture or cannot be counted, or one has ended whose result is waited for.
    fn at_call(&mut self, tid: libc::pid_t) {
        let Some(info) = ptrace::info(tid) else { return };
        let begun = match info.op {
            libc::PTRACE_SYSCALL_INFO_SECCOMP => {
                // SAFETY: the kernel has filled this member, as the kind of stop says.
                let begun = unsafe { info.u.seccomp };
                let is_own = begun.ret_data != filter::FOREIGN;
                is_own.then_some(Call { number: begun.nr, args: begun.args })
            }
            libc::PTRACE_SYSCALL_INFO_ENTRY => {
                // SAFETY: as above.
                let begun = unsafe { info.u.entry };
                let is_own = filter::is_own(info.arch, begun.nr);
                is_own.then_some(Call { number: begun.nr, args: begun.args })
            }
            libc::PTRACE_SYSCALL_INFO_EXIT => {
                // SAFETY: as above.
                self.seen.left(tid, unsafe { info.u.exit }.sval);
                return self.looked_at(tid);
            }
            _ => return,
        };
        if let Looks::Sampled(traps) = &self.looks
            && !traps.looks(tid)
        {
            return; // it was on its way here when its calls were no longer looked at
        }
        match begun {
            Some(call) if self.counts_apart && call.is_counted_apart() => self.seen.entered_apart(),
            Some(call) => self.seen.entered(tid, call),
            None => self.seen.refuse(OF_32_BITS),
        }
        if !self.seen.waits_for(tid) {
            self.looked_at(tid);
        }
    }

    /// All is known of the call of `tid` that was looked at.
    fn looked_at(&mut self, tid: libc::pid_t) {
        if let Looks::Sampled(traps) = &mut self.looks {
            traps.is_done(tid);
        }
    }

    /// Lets every thread go where it stops next, until `is_late` says so; false if one has not stopped by then, which the kernel
    /// lets go when this program ends.
    pub fn let_go(self, is_late: impl Fn() -> bool) -> bool {
        let mut left: HashSet<libc::pid_t> = self.seen.threads().into_iter().collect();
        let mut gone = HashSet::new();
        left.iter().for_each(|tid| request(libc::PTRACE_INTERRUPT, *tid, 0));
        while !is_late() && !left.is_empty() {
            match next(drop) {
                Ok(Heard::Nothing) => {}
                Ok(Heard::Ended(tid, _)) => _ = left.remove(&tid),
                Ok(Heard::Stopped(stop)) => {
                    // What it has started is traced, too, and has perhaps been let go before this.
                    left.extend(stop.started().filter(|child| !gone.contains(child)));
                    let former = stop.former();
                    let is_signal = stop.event == 0 && stop.signal != libc::SIGTRAP | CALL;
                    let deliver = if is_signal { stop.signal as usize } else { 0 };
                    request(libc::PTRACE_DETACH, stop.tid, deliver);
                    former.inspect(|former| _ = left.remove(former));
                    left.remove(&stop.tid);
                    gone.insert(stop.tid);
                }
                Err(_) => break,
            }
        }
        left.is_empty()
    }

    /// Begins to trace thread `tid`, which runs.
    ///
    /// # Errors
    /// The kernel's: it has ended, or may not be traced.
    pub fn attach(&mut self, tid: libc::pid_t) -> io::Result<()> {
        asked(libc::PTRACE_SEIZE, tid, TOLD as usize)?;
        request(libc::PTRACE_INTERRUPT, tid, 0);
        self.seen.runs(tid);
        Ok(())
    }
}
