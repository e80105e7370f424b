//! What is made of the stops of traced threads, however these came to be traced: operations of their calls, and of the
//! processes that they start.

use super::call::Call;
use super::cold::{ColdNames, LastRead};
use super::held::Held;
use super::made::Apart;
use super::ptrace::{is_from_kernel, number_of_event, path_at};
use super::sampled::{NO_MORE, Outcome, Sampled, transfer};
use super::tally::Tally;
use super::task::{Begun, Task, has_other_rights, process_of};
use std::collections::{BTreeMap, HashMap};
use tare_proto::{CallClass, Counter, call_class, call_name, transfer_class};

pub struct Seen {
    classes: HashMap<u64, CallClass>,
    tally: Tally,
    /// By process.
    tasks: HashMap<libc::pid_t, Task>,
    threads: HashMap<libc::pid_t, libc::pid_t>,
    /// By thread: a call whose result is waited for, for how many it stands, and of a directory when it was last read.
    inside: BTreeMap<libc::pid_t, (Call, f64, LastRead)>,
    /// By number, and whether a file is made.
    sampled: HashMap<(u64, bool), Sampled>,
    cold: ColdNames,
    held: Held,
    blind: bool,
    pub refused: Option<String>,
}

/// Transfers of at most so many bytes are taken for as long as they may be: nobody waits for their results.
const SMALL: u64 = 4096;

/// The largest number of a call that has a class.
const LAST_CALL: u64 = 1023;

impl Default for Seen {
    fn default() -> Seen {
        Seen {
            classes: (0..=LAST_CALL)
                .map(|number| (number, call_class(&call_name(number))))
                .collect(),
            tally: Tally::default(),
            tasks: HashMap::new(),
            threads: HashMap::new(),
            inside: BTreeMap::new(),
            sampled: HashMap::new(),
            cold: ColdNames::default(),
            held: Held::default(),
            blind: false,
            refused: None,
        }
    }
}

impl Seen {
    /// Whether a program has asked to trace another one, as debuggers do.
    pub fn traces(&self) -> bool {
        self.tally.has(libc::SYS_ptrace as u64)
    }

    pub fn knows(&self, tid: libc::pid_t) -> bool {
        self.threads.contains_key(&tid)
    }

    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    pub fn threads(&self) -> Vec<libc::pid_t> {
        self.threads.keys().copied().collect()
    }

    pub fn waits_for(&self, tid: libc::pid_t) -> bool {
        self.inside.contains_key(&tid)
    }

    /// Thread `tid` is traced from here on. A process that its parent's event has not told of yet is a copy or not, which that
    /// event then says.
    pub fn begins(&mut self, tid: libc::pid_t, begun: Begun) {
        let pid = process_of(tid);
        self.threads.insert(tid, pid);
        self.tasks.entry(pid).or_insert_with(|| Task::new(pid, begun));
    }

    /// Thread `tid` is traced from here on, and has run before.
    pub fn runs(&mut self, tid: libc::pid_t) {
        let pid = process_of(tid);
        self.threads.insert(tid, pid);
        self.tasks.entry(pid).or_insert_with(|| Task::running(pid));
    }

    pub fn ends(&mut self, tid: libc::pid_t) {
        self.threads.remove(&tid);
        self.inside.remove(&tid);
    }

    /// The process of `tid`, which is known, has started a program.
    pub fn starts_a_program(&mut self, tid: libc::pid_t) {
        self.tally.add_all("exec", 1.0);
        let pid = process_of(tid);
        self.held.forget(pid);
        if let Some(task) = self.tasks.get_mut(&pid) {
            task.becomes_another(&mut self.tally);
        }
        if has_other_rights(tid) {
            self.refuse("it is set-user-id or set-group-id, or starts such a program: what is done with other rights is not counted");
        }
    }

    pub fn refuse(&mut self, why: &str) {
        self.refused.get_or_insert_with(|| why.to_owned());
    }

    /// What the kernel tells of `tid` beside its calls.
    pub fn event(&mut self, tid: libc::pid_t, event: i32) {
        match event {
            libc::PTRACE_EVENT_FORK => self.starts(tid, "fork", Begun::Forked),
            libc::PTRACE_EVENT_VFORK => self.starts(tid, "spawn", Begun::Other),
            libc::PTRACE_EVENT_CLONE => self.starts(tid, "thread", Begun::Other),
            libc::PTRACE_EVENT_EXEC => {
                self.inside.remove(&tid);
                self.starts_a_program(tid);
                self.tally.calls_of_events(libc::SYS_execve as u64, 1.0);
            }
            libc::PTRACE_EVENT_EXIT => {
                self.held.forget(tid);
                if let Some(mut task) = self.tasks.remove(&tid) {
                    task.ends(&mut self.tally);
                }
            }
            _ => {}
        }
    }

    /// A signal that `tid` gets: of a fault that no page answers, it is the work of the kernel and of a handler.
    pub fn signal(&mut self, tid: libc::pid_t, signal: libc::c_int) {
        if matches!(signal, libc::SIGSEGV | libc::SIGBUS) && is_from_kernel(tid) {
            self.tally.add_all("fault_protection", 1.0);
        }
    }

    /// A process or a thread that `tid` has started; it may have been heard of before this.
    fn starts(&mut self, tid: libc::pid_t, name: &'static str, begun: Begun) {
        let parent = self.threads.get(&tid).and_then(|pid| self.tasks.get_mut(pid));
        let forks = |task: &mut Task| task.forks(&mut self.tally);
        let copied = parent.filter(|_| begun == Begun::Forked).map(forks);
        match number_of_event(tid) {
            Some(child) if process_of(child) == child => {
                // clone(2) of a process that sends another signal than SIGCHLD at its end, or none.
                self.tally.add_all(if name == "thread" { "fork" } else { name }, 1.0);
                let task = copied.map(|touched| Task::forked(child, touched));
                self.tasks.insert(child, task.unwrap_or_else(|| Task::new(child, begun)));
            }
            _ => self.tally.add_all(name, 1.0),
        }
    }

    /// A call begins that the kernel counts apart.
    pub fn entered_apart(&mut self) {
        self.tally.call_apart();
    }

    /// What the kernel has counted apart. Clocks are no calls of the program, which makes them only while it is counted.
    pub fn counted_apart(&mut self, apart: &Apart) {
        let futexes = apart.futexes.so_far();
        self.tally.add_all("clock", apart.clocks.so_far());
        self.tally.add_all("exec_miss", apart.failed_starts.so_far());
        self.tally.add_all("futex", futexes);
        self.tally.calls_of_events(libc::SYS_futex as u64, futexes);
    }

    /// A call begins; it is remembered when its result says what it is.
    pub fn entered(&mut self, tid: libc::pid_t, call: Call) {
        self.tally.call(call.number);
        let class = self.class(&call);
        let pid = self.threads.get(&tid).copied().unwrap_or(tid);
        if self.blind {
            self.tasks.get_mut(&pid).into_iter().for_each(Task::forget_all);
        }
        match class {
            CallClass::One(name) => self.tally.add(name, 1.0),
            CallClass::Included if call.number == libc::SYS_munmap as u64 => {
                let task = self.tasks.get_mut(&pid);
                task.into_iter().for_each(|task| task.unmaps(&mut self.tally, call.args[1]));
            }
            CallClass::Included => {}
            CallClass::Unknown => self.tally.add_unknown(),
            CallClass::Close(place) => {
                self.tasks.get_mut(&pid).into_iter().for_each(|task| task.forget(call.args[place]));
            }
            CallClass::CloseMany => {
                self.tally.add("descriptor", 1.0);
                self.tasks.get_mut(&pid).into_iter().for_each(Task::forget_all);
            }
            CallClass::Transfer(way) if call.args[2] <= SMALL => {
                let name = transfer_class(self.kind(pid, &call), way);
                self.add(transfer(name, call.args[2]), 1.0);
            }
            CallClass::Path(..) | CallClass::Open(_) | CallClass::Sized(_) => {
                let read = match class {
                    CallClass::Path(_, place) | CallClass::Open(place) => {
                        let path = path_at(tid, call.args[place]).unwrap_or_default();
                        self.cold.looked_up(tid, call.folder(place), &path);
                        LastRead::Lately
                    }
                    CallClass::Sized("getdents") => self.cold.reads(tid, call.args[0]),
                    _ => LastRead::Lately,
                };
                let key = (call.number, call.makes(class));
                let times = match self.blind {
                    true => Some(1.0),
                    false => self.sampled.entry(key).or_default().begins(),
                };
                if let Some(times) = times {
                    self.inside.insert(tid, (call, times, read));
                }
            }
            CallClass::Transfer(_) | CallClass::TransferOfResult(_) => {
                self.inside.insert(tid, (call, 1.0, LastRead::Lately));
            }
        }
    }

    /// A call of `tid`'s has ended with `result`.
    pub fn left(&mut self, tid: libc::pid_t, result: i64) {
        let Some((call, times, read)) = self.inside.remove(&tid) else { return };
        let pid = self.threads.get(&tid).copied().unwrap_or(tid);
        let class = self.class(&call);
        let bytes = u64::try_from(result).unwrap_or(0);
        let is_open = matches!(class, CallClass::Open(_));
        let opened = u64::try_from(result).ok().filter(|_| is_open);
        let mut of_path = |name, place| {
            let held = |folder, path: &[u8]| self.held.through(pid, folder, path, opened);
            call.on_path(tid, name, place, result, held)
        };
        let outcome = match class {
            CallClass::Path(name, place) => of_path(name, place),
            CallClass::Open(place) if call.makes(class) => of_path("create", place),
            CallClass::Open(place) => of_path("open", place),
            CallClass::Sized("socket") => transfer(self.kind(pid, &call), bytes),
            CallClass::Sized(name) => match self.cold.has_read(read, times, bytes) {
                Some(outcome) => outcome,
                None => transfer(name, bytes),
            },
            CallClass::Transfer(way) | CallClass::TransferOfResult(way) => {
                transfer(transfer_class(self.kind(pid, &call), way), bytes)
            }
            _ => [NO_MORE; 3],
        };
        if let Some(sampled) = self.sampled.get_mut(&(call.number, call.makes(class))) {
            sampled.found(outcome);
        }
        self.add(outcome, times);
    }

    pub fn calls(&self) -> f64 {
        self.tally.seen()
    }

    /// From here on not all calls are seen. So nothing is known of descriptors from call to call, and every call that is seen is
    /// looked at.
    pub fn becomes_blind(&mut self) {
        self.rest();
        self.tally.stand_for(1.0);
        self.cold.blind();
        self.blind = true;
    }

    /// No more is counted of any process: what each has done until now is accounted for.
    pub fn stops(&mut self) {
        for (_, mut task) in std::mem::take(&mut self.tasks) {
            task.ends(&mut self.tally);
        }
    }

    /// All that was counted, where each call that was seen since [`Seen::becomes_blind`] stands for `each`.
    pub fn counters(&mut self, each: f64) -> Vec<Counter> {
        self.rest();
        self.stops();
        self.tally.stand_for(each);
        for (name, times) in self.cold.counts(each) {
            self.tally.add_all(name, times);
        }
        self.tally.counters()
    }

    /// Calls that no look stands for.
    fn rest(&mut self) {
        let rest: Vec<_> = self.sampled.values().map(Sampled::rest).collect();
        rest.into_iter().for_each(|(outcome, times)| self.add(outcome, times));
        self.sampled.clear();
    }

    fn class(&self, call: &Call) -> CallClass {
        self.classes.get(&call.number).copied().unwrap_or(CallClass::Unknown)
    }

    /// What kind of transfers the call's descriptor has.
    fn kind(&mut self, pid: libc::pid_t, call: &Call) -> &'static str {
        self.tasks.get_mut(&pid).map_or("file", |task| task.transfer(call.args[0]))
    }

    fn add(&mut self, outcome: Outcome, times: f64) {
        outcome.into_iter().for_each(|(name, count)| self.tally.add(name, count * times));
    }
}
