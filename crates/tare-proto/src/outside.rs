//! What the host sees of a layer while it measures, from outside: whose threads do it, and the names of the counters. All are per
//! operation, and times are nanoseconds.

use std::fmt;

/// How the counters begin.
pub const OUTSIDE: &str = "outside/";

/// Operations that were watched.
pub const OPERATIONS: &str = "outside/operations";

/// Nanoseconds that an operation took while it was watched.
pub const WHOLE: &str = "outside/whole";

/// Nanoseconds that it took in the same boot while nobody watched.
pub const UNWATCHED: &str = "outside/unwatched";

/// Nanoseconds that it took while it was watched, without those that records took; of a layer that works in several ways, where turns that
/// nobody watches meet more or less of each.
pub const WITHOUT_RECORDS: &str = "outside/without_records";

/// Nanoseconds that the kernel took to write one record down; they are not in the times.
pub const RECORD: &str = "outside/record";

/// Records that the kernel had no room for.
pub const LOST: &str = "outside/lost";

/// What the names of counters begin with that say what is not counted, since the host's kernel lacks the tracepoint that follows.
pub const MISSING: &str = "outside/missing/";

/// What the names of prices begin with: nanoseconds that a primitive costs on the baseline, by the row that measures it.
const PRICE: &str = "outside/price/";

/// Before what else follows [`OUTSIDE`] in the name of a figure of a whole operation, from which the row's other terms are not subtracted.
const UNSUBTRACTED: &str = "outside/unsubtracted/";

/// The name of the figure `name` of the whole operation.
#[must_use]
pub fn unsubtracted(name: &str) -> String {
    format!("{UNSUBTRACTED}{}", name.strip_prefix(OUTSIDE).unwrap_or(name))
}

/// The figure that `name` is of a whole operation; `None` of another one.
#[must_use]
pub fn of_unsubtracted(name: &str) -> Option<String> {
    Some(format!("{OUTSIDE}{}", name.strip_prefix(UNSUBTRACTED)?))
}

/// The rows that are prices.
pub const PRICED: &[&str] = &[
    "lmbench/null_call",
    "lmbench/ctx_2p_0k",
    "lmbench/sig_catch",
    "operations/fault_anonymous",
    "causes/stop",
    "causes/registers_general",
    "causes/registers_float",
    "causes/registers_all",
];

/// The name of the counter that holds the price of `row`.
#[must_use]
pub fn price_of(row: &str) -> String {
    format!("{PRICE}{row}")
}

/// Whose threads something is done by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The program that is measured, in whatever the layer runs it as: a process, a stub, a guest's user mode.
    Program,
    /// What acts as the program's kernel: a sentry, a kernel in a process, a virtual CPU.
    Kernel,
    /// What helps: threads for input and output, servers of files, runtimes that wait.
    Helper,
}

impl Part {
    /// All of them, the program first.
    pub const ALL: [Part; 3] = [Part::Program, Part::Kernel, Part::Helper];

    /// Its name in counters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Part::Program => "program",
            Part::Kernel => "kernel",
            Part::Helper => "helper",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is counted of each part, with a kind of it: `outside/calls/kernel/futex`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// System calls of the host, by name.
    Calls,
    /// Switches away from a thread of the part: [`WAITED`], [`PREEMPTED`], [`STOPPED`], [`ENDED`].
    Switches,
    /// Signals that were delivered, by name.
    Signals,
    /// Page faults in user mode.
    Faults,
    /// Threads that it woke: [`HERE`], or [`ELSEWHERE`] where the thread ran next on another CPU.
    Wakeups,
    /// Exits of a virtual machine, by the reason's name.
    Exits,
    /// Other events of the kernel, by name.
    Events,
    /// What the processor counts while its threads have a CPU: [`CYCLES`], [`INSTRUCTIONS`], [`CACHE_MISSES`].
    Processor,
    /// Nanoseconds: [`USER`], [`SYSTEM`], [`READY`], [`STOPPED_BY_QUOTA`], [`ASLEEP`].
    Time,
    /// Nanoseconds on a CPU within a system call of the host, by its name; a part of [`SYSTEM`].
    RunsIn,
    /// Nanoseconds of [`ASLEEP`] within a system call of the host, by its name.
    SleepsIn,
    /// Shares of the layer's time on CPUs in which the clock found the part in this code: a file, or a function of the host's kernel after
    /// [`IN_KERNEL`].
    Found,
    /// The same shares of the functions of the layer's own programs, each after its file: `runsc: kernel.(*Task).run`.
    Functions,
    /// The same shares of stacks: functions as above, from the outermost one on, each followed by [`CALLS_INTO`] and what it called.
    Stacks,
}

/// Cycles of the processor, at whatever frequency.
pub const CYCLES: &str = "cycles";
/// Instructions that it has completed.
pub const INSTRUCTIONS: &str = "instructions";
/// Reads and writes for which its last cache had to ask the memory.
pub const CACHE_MISSES: &str = "cache_misses";
/// It gave its CPU up to wait.
pub const WAITED: &str = "waited";
/// Another thread took its CPU.
pub const PREEMPTED: &str = "preempted";
/// A tracer or a signal stopped it.
pub const STOPPED: &str = "stopped";
/// It ended.
pub const ENDED: &str = "ended";
/// On the CPU of the waker.
pub const HERE: &str = "same_cpu";
/// On another CPU.
pub const ELSEWHERE: &str = "other_cpu";
/// On a CPU in user mode.
pub const USER: &str = "user";
/// On a CPU in the host's kernel.
pub const SYSTEM: &str = "kernel";
/// Ready to run, without a CPU.
pub const READY: &str = "ready";
/// Ready, while its control group had used up its quota of CPU time.
pub const STOPPED_BY_QUOTA: &str = "stopped_by_quota";
/// Asleep until something else than the layer woke it.
pub const ASLEEP: &str = "asleep";
/// Before the name of a function of the host's kernel.
pub const IN_KERNEL: &str = "kernel:";
/// Between a function and the one that it called, in no name of one.
pub const CALLS_INTO: &str = ";";
/// Reads and writes of a stopped thread's registers: the general ones.
pub const GENERAL_REGISTERS: &str = "registers_general";
/// Those of floating point.
pub const FLOAT_REGISTERS: &str = "registers_float";
/// Another set: all that there are besides the general ones.
pub const ALL_REGISTERS: &str = "registers_all";
/// Page faults of any kind.
pub const ANY: &str = "any";

impl Seen {
    /// All kinds, in the order of tables.
    pub const ALL: [Seen; 14] = [
        Seen::Calls,
        Seen::Switches,
        Seen::Signals,
        Seen::Faults,
        Seen::Wakeups,
        Seen::Exits,
        Seen::Events,
        Seen::Processor,
        Seen::Time,
        Seen::RunsIn,
        Seen::SleepsIn,
        Seen::Found,
        Seen::Functions,
        Seen::Stacks,
    ];

    /// Its word in counters.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Seen::Calls => "calls",
            Seen::Switches => "switches",
            Seen::Signals => "signals",
            Seen::Faults => "faults",
            Seen::Wakeups => "wakeups",
            Seen::Exits => "exits",
            Seen::Events => "events",
            Seen::Processor => "processor",
            Seen::Time => "time",
            Seen::RunsIn => "runs_in",
            Seen::SleepsIn => "sleeps_in",
            Seen::Found => "found",
            Seen::Functions => "functions",
            Seen::Stacks => "stacks",
        }
    }

    /// The name of its counter of `part`.
    #[must_use]
    pub fn counter(self, part: Part, kind: &str) -> String {
        format!("{OUTSIDE}{}/{part}/{kind}", self.word())
    }

    /// What a counter's name says; `None` of another counter.
    #[must_use]
    pub fn read(name: &str) -> Option<(Seen, Part, &str)> {
        let mut words = name.strip_prefix(OUTSIDE)?.splitn(3, '/');
        let seen = words.next()?;
        let part = words.next()?;
        let seen = Seen::ALL.into_iter().find(|one| one.word() == seen)?;
        let part = Part::ALL.into_iter().find(|one| one.name() == part)?;
        Some((seen, part, words.next()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counters_name_says_what_it_counts() {
        for seen in Seen::ALL {
            for part in Part::ALL {
                assert_eq!(Seen::read(&seen.counter(part, "a/b")), Some((seen, part, "a/b")));
            }
        }
        assert_eq!(Seen::Calls.counter(Part::Kernel, "futex"), "outside/calls/kernel/futex");
        assert!([OPERATIONS, WHOLE, LOST, "perf/x"].iter().all(|name| Seen::read(name).is_none()));
    }
}
