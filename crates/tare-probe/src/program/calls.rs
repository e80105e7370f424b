//! The operations of a program: of one run under ptrace(2), which stops at every call ([`super::filter`]) and so takes longer.
//! No time is taken from that run.

use super::classes;
use super::filter;
use super::run::{self, Ended, Surroundings};
use super::stopped::{components, info, request};
use super::tally::Tally;
use super::task::{Begun, Task, has_other_rights, process_of};
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::io;
use std::ptr;
use tare_proto::{CallClass, Counter};

/// A stop at the end of a call has this bit beside SIGTRAP.
const CALL: libc::c_int = 0x80;

/// What is told of every process that the program starts; all end with the tracer.
const OPTIONS: libc::c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_EXITKILL;

/// How often the program and what it starts make each call and each operation, in one run. The error says why that is not known.
pub fn count(place: &Surroundings) -> io::Result<Vec<Counter>> {
    let mut tracer = Tracer::new();
    let ran = run::traced(place, |pid| tracer.follow(pid as libc::pid_t))?;
    if let Some(why) = tracer.refused {
        return Err(io::Error::other(why));
    }
    match ran {
        Ended::By(0) => Ok(tracer.tally.counters()),
        other => Err(io::Error::other(other.why().unwrap_or_default())),
    }
}

/// A call, as it was begun.
#[derive(Clone, Copy)]
struct Call {
    number: u64,
    args: [u64; 6],
}

/// What has been seen of a run.
struct Tracer {
    classes: HashMap<u64, CallClass>,
    tally: Tally,
    /// By process.
    tasks: HashMap<libc::pid_t, Task>,
    /// The process of every thread.
    threads: HashMap<libc::pid_t, libc::pid_t>,
    /// By thread: a call whose result is waited for.
    inside: BTreeMap<libc::pid_t, Call>,
    /// Why this program cannot be counted.
    refused: Option<String>,
}

impl Tracer {
    fn new() -> Tracer {
        Tracer {
            classes: classes::table(),
            tally: Tally::default(),
            tasks: HashMap::new(),
            threads: HashMap::new(),
            inside: BTreeMap::new(),
            refused: None,
        }
    }

    /// Follows `first`, which stops when it begins, and all that it starts, until it ends; its wait status.
    fn follow(&mut self, first: libc::pid_t) -> io::Result<i32> {
        loop {
            let mut status = 0;
            // SAFETY: `status` is a valid place to write to.
            let tid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL) };
            if tid < 0 {
                let error = io::Error::last_os_error();
                if error.kind() == io::ErrorKind::Interrupted {
                    continue;
                }
                return Err(error);
            }
            if libc::WIFSTOPPED(status) {
                self.stopped(tid, status);
            } else {
                self.threads.remove(&tid);
                self.inside.remove(&tid);
                if tid == first {
                    return Ok(status);
                }
            }
        }
    }

    /// What `tid` has stopped for, and on it goes.
    fn stopped(&mut self, tid: libc::pid_t, status: i32) {
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let deliver = if !self.threads.contains_key(&tid) {
            // Its first stop is the tracer's own doing: SIGTRAP after exec, SIGSTOP of a child.
            self.appears(tid);
            0
        } else if event != 0 {
            self.event(tid, event);
            0
        } else if signal == libc::SIGTRAP | CALL {
            self.left(tid);
            0
        } else {
            signal
        };
        let waits = self.inside.contains_key(&tid);
        let go = if waits { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        if self.refused.is_some() {
            // SAFETY: kill has no memory preconditions; the process is traced, and so has not been waited for.
            unsafe { libc::kill(tid, libc::SIGKILL) };
        }
        request(go, tid, deliver as usize);
    }

    /// A thread that nothing was known of. A process that its parent's event has not told of yet is a copy or not, which that
    /// event then says.
    fn appears(&mut self, tid: libc::pid_t) {
        request(libc::PTRACE_SETOPTIONS, tid, OPTIONS as usize);
        if self.tasks.is_empty() {
            self.tally.add("exec", 1.0);
            self.check_rights(tid);
        }
        self.knows(tid, Begun::Other);
    }

    fn knows(&mut self, tid: libc::pid_t, begun: Begun) {
        let pid = process_of(tid);
        self.threads.insert(tid, pid);
        self.tasks.entry(pid).or_insert_with(|| Task::new(pid, begun));
    }

    fn event(&mut self, tid: libc::pid_t, event: i32) {
        match event {
            libc::PTRACE_EVENT_SECCOMP => self.entered(tid),
            libc::PTRACE_EVENT_FORK => self.begins(tid, "fork", Begun::Forked),
            libc::PTRACE_EVENT_VFORK => self.begins(tid, "spawn", Begun::Other),
            libc::PTRACE_EVENT_CLONE => self.begins(tid, "thread", Begun::Other),
            libc::PTRACE_EVENT_EXEC => {
                self.tally.add("exec", 1.0);
                *self.tally.calls.entry(libc::SYS_execve as u64).or_default() += 1;
                self.check_rights(tid);
                if let Some(task) = self.tasks.get_mut(&process_of(tid)) {
                    task.becomes_another(&mut self.tally);
                }
            }
            libc::PTRACE_EVENT_EXIT => {
                if let Some(mut task) = self.tasks.remove(&tid) {
                    task.ends(&mut self.tally);
                }
            }
            _ => {}
        }
    }

    /// A process or a thread that `tid` has started; it may have been heard of before this.
    fn begins(&mut self, tid: libc::pid_t, name: &'static str, begun: Begun) {
        let mut child: libc::c_ulong = 0;
        // SAFETY: the kernel writes one long.
        let told = unsafe {
            libc::ptrace(libc::PTRACE_GETEVENTMSG, tid, ptr::null_mut::<c_void>(), &raw mut child)
        };
        let child = child as libc::pid_t;
        if told != 0 || process_of(child) != child {
            self.tally.add(name, 1.0);
            return;
        }
        // clone(2) of a process that sends another signal than SIGCHLD at its end, or none.
        self.tally.add(if name == "thread" { "fork" } else { name }, 1.0);
        self.tasks.insert(child, Task::new(child, begun));
    }

    fn check_rights(&mut self, tid: libc::pid_t) {
        if has_other_rights(tid) {
            self.refuse("it is set-user-id or set-group-id, or starts such a program: what is done with other rights is not counted");
        }
    }

    fn refuse(&mut self, why: &str) {
        self.refused.get_or_insert_with(|| why.to_owned());
    }

    /// A call begins; it is remembered when its result says what it is.
    fn entered(&mut self, tid: libc::pid_t) {
        let Some(call) = self.call_of(tid) else { return };
        *self.tally.calls.entry(call.number).or_default() += 1;
        let class = self.classes.get(&call.number).copied().unwrap_or(CallClass::Unknown);
        let pid = self.threads.get(&tid).copied().unwrap_or(tid);
        let Tracer { tally, tasks, .. } = self;
        let mut with_task = |change: &mut dyn FnMut(&mut Task)| {
            tasks.get_mut(&pid).map(change);
        };
        match class {
            CallClass::One(name) => tally.add(name, 1.0),
            CallClass::Included => {}
            CallClass::Unknown => tally.add_unknown(),
            CallClass::Close(place) => with_task(&mut |task| task.forget(call.args[place])),
            CallClass::CloseMany => {
                tally.add("descriptor", 1.0);
                with_task(&mut |task| task.forget_all());
            }
            CallClass::Transfer if call.args[2] <= SMALL => {
                let name = tasks.get_mut(&pid).map_or("file", |task| task.transfer(call.args[0]));
                tally.add(name, 1.0);
                tally.add_bytes(name, call.args[2]);
            }
            _ => drop(self.inside.insert(tid, call)),
        }
    }

    /// The call that `tid` stops at, if it is one that has numbers of this architecture.
    fn call_of(&mut self, tid: libc::pid_t) -> Option<Call> {
        let info = info(tid)?;
        if info.op != libc::PTRACE_SYSCALL_INFO_SECCOMP {
            return None;
        }
        // SAFETY: the kernel has filled this member, as the kind of stop says.
        let begun = unsafe { info.u.seccomp };
        if begun.ret_data == filter::FOREIGN {
            self.refuse("it makes system calls of another architecture (a 32-bit program): these cannot be counted");
            return None;
        }
        Some(Call { number: begun.nr, args: begun.args })
    }

    /// A call has ended whose result says what it was.
    fn left(&mut self, tid: libc::pid_t) {
        let Some(call) = self.inside.remove(&tid) else { return };
        let Some(info) = info(tid).filter(|info| info.op == libc::PTRACE_SYSCALL_INFO_EXIT) else {
            return;
        };
        // SAFETY: the kernel has filled this member, as the kind of stop says.
        let result = unsafe { info.u.exit }.sval;
        let pid = self.threads.get(&tid).copied().unwrap_or(tid);
        let class = self.classes.get(&call.number).copied().unwrap_or(CallClass::Unknown);
        let bytes = u64::try_from(result).unwrap_or(0);
        match class {
            CallClass::Path(name, place) => self.path(tid, name, call.args[place], result),
            CallClass::Open(place) => {
                let flags = call.args[place + 1] as libc::c_int;
                let makes = place == 1 && flags & libc::O_CREAT != 0;
                let name = if makes { "create" } else { "open" };
                self.path(tid, name, call.args[place], result);
            }
            CallClass::Message => {
                self.tally.add("socket", 1.0);
                self.tally.add_bytes("socket", bytes);
            }
            CallClass::Transfer | CallClass::TransferOfResult => {
                let task = self.tasks.get_mut(&pid);
                let name = task.map_or("file", |task| task.transfer(call.args[0]));
                self.tally.add(name, 1.0);
                self.tally.add_bytes(name, bytes);
            }
            _ => {}
        }
    }

    /// An operation called `name` on the path at `address` of `tid`'s memory.
    fn path(&mut self, tid: libc::pid_t, name: &'static str, address: u64, result: i64) {
        let components = components(tid, address);
        match (components, result) {
            (0, _) => return self.tally.add("descriptor", 1.0), // an empty path: of the descriptor itself
            (_, missing) if missing == -i64::from(libc::ENOENT) => {
                self.tally.add("lookup_miss", 1.0);
                return;
            }
            _ => {}
        }
        self.tally.add(name, 1.0);
        if name == "open" {
            self.tally.add("lookup", 1.0);
        }
        self.tally.add("component", (components - 1) as f64);
    }
}

/// Transfers of at most so many bytes are taken for as long as they may be: nobody waits for their results.
const SMALL: u64 = 4096;
