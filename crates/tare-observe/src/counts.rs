//! How often what happened in a window, by the part of the layer that did it.

use crate::exits::exit_name;
use crate::observer::Trace;
use crate::record::{Asked, Happened};
use crate::threads::Threads;
use nix::sys::signal::Signal;
use std::collections::{BTreeMap, HashMap};
use tare_proto::call_name;
use tare_proto::outside::{ANY, ELSEWHERE, ENDED, HERE, PREEMPTED, Part, STOPPED, Seen, WAITED};

/// Figures by the names of their counters.
pub type Figures = BTreeMap<String, f64>;

/// States of a thread that leaves its CPU, as `sched_switch` has them: it was stopped by a signal or a tracer, or has ended.
const STOPS: u64 = 0x04 | 0x08;
const ENDS: u64 = 0x10 | 0x20;

/// Set beside them of a thread that could have run on.
const RUNNABLE: u64 = 0x100;

/// What is counted of a part. Names are made when all is counted, since there may be a million records.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Call(u64),
    Signal(i32),
    Exit { isa: u32, reason: u32 },
    Named(&'static str),
}

impl Kind {
    fn name(&self) -> String {
        match self {
            Kind::Call(number) => call_name(*number),
            Kind::Signal(number) => signal(*number),
            Kind::Exit { isa, reason } => exit_name(*isa, *reason),
            Kind::Named(name) => (*name).to_owned(),
        }
    }
}

/// All that the `threads` did.
#[must_use]
pub fn counts(trace: &Trace, threads: &Threads) -> Figures {
    let mut all: BTreeMap<(Seen, Part, Kind), f64> = BTreeMap::new();
    let mut add = |seen: Seen, tid: u32, kind: Kind, many: f64| {
        if let Some(part) = threads.part(tid) {
            *all.entry((seen, part, kind)).or_default() += many;
        }
    };
    // Threads that were woken and have not run since: where they were woken, and by whom.
    let mut woken: HashMap<u32, (u32, u32)> = HashMap::new();
    for record in &trace.records {
        match record.what {
            Happened::Call(number) => add(Seen::Calls, record.tid, Kind::Call(number), 1.0),
            Happened::Registers(set) => {
                add(Seen::Calls, record.tid, Kind::Call(libc::SYS_ptrace as u64), 1.0);
                add(Seen::Events, record.tid, Kind::Named(set.name()), 1.0);
            }
            Happened::Signal(number) => add(Seen::Signals, record.tid, Kind::Signal(number), 1.0),
            Happened::Fault => add(Seen::Faults, record.tid, Kind::Named(ANY), 1.0),
            Happened::Exit { isa, reason } => {
                add(Seen::Exits, record.tid, Kind::Exit { isa, reason }, 1.0);
            }
            Happened::Block { asked, bytes } => {
                let (requests, kib) = names(asked);
                add(Seen::Events, record.tid, Kind::Named(requests), 1.0);
                if bytes > 0 {
                    add(Seen::Events, record.tid, Kind::Named(kib), bytes as f64 / 1024.0);
                }
            }
            Happened::Other(place) => {
                add(Seen::Events, record.tid, Kind::Named(trace.name_of(place)), 1.0);
            }
            Happened::Waking { whom, interrupt: false } => {
                woken.insert(whom, (record.cpu, record.tid));
            }
            Happened::Switch { from, state, to } => {
                add(Seen::Switches, from, Kind::Named(kind_of_switch(state)), 1.0);
                if let Some((cpu, waker)) = woken.remove(&to) {
                    let place = if cpu == record.cpu { HERE } else { ELSEWHERE };
                    add(Seen::Wakeups, waker, Kind::Named(place), 1.0);
                }
            }
            Happened::Return | Happened::Exec | Happened::Waking { .. } | Happened::Fork { .. } => {
            }
        }
    }
    let named = |((seen, part, kind), many): ((Seen, Part, Kind), f64)| {
        (seen.counter(part, &kind.name()), many)
    };
    all.into_iter().map(named).collect()
}

/// What requests to a block device are called, and what they ask for in KiB.
const fn names(asked: Asked) -> (&'static str, &'static str) {
    match asked {
        Asked::Read => ("block_reads", "block_kib_read"),
        Asked::Write => ("block_writes", "block_kib_written"),
        Asked::Other => ("block_other_requests", "block_kib_of_others"),
    }
}

/// Why a thread leaves its CPU in this state.
pub(crate) fn kind_of_switch(state: u64) -> &'static str {
    match state {
        0 => PREEMPTED,
        state if state & RUNNABLE != 0 => PREEMPTED,
        state if state & ENDS != 0 => ENDED,
        state if state & STOPS != 0 => STOPPED,
        _ => WAITED,
    }
}

fn signal(number: i32) -> String {
    match Signal::try_from(number) {
        Ok(signal) => signal.as_str().to_owned(),
        Err(_) => format!("SIG{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn what_the_layers_threads_do_is_counted_by_their_part() {
        let at = |time, tid, what| Record { time, cpu: 0, pid: tid, tid, what };
        let wakes = |whom, interrupt| Happened::Waking { whom, interrupt };
        let switch = |from, state, to| Happened::Switch { from, state, to };
        let records = vec![
            at(1, 10, Happened::Call(libc::SYS_futex as u64)),
            at(2, 10, wakes(20, false)),
            at(3, 10, switch(10, 1, 20)),
            at(4, 20, Happened::Signal(libc::SIGSYS)),
            at(5, 20, switch(20, 8, 30)),
            at(6, 30, Happened::Call(0)),
            at(7, 30, wakes(10, true)),
            Record { cpu: 1, ..at(8, 30, switch(0, 0, 10)) },
            at(9, 10, Happened::Other(0)),
            at(9, 10, Happened::Block { asked: Asked::Read, bytes: 4096 }),
            at(9, 10, Happened::Block { asked: Asked::Read, bytes: 8192 }),
            at(9, 10, Happened::Block { asked: Asked::Other, bytes: 0 }),
            at(10, 10, switch(10, 0x100, 0)),
        ];
        let trace = Trace { records, names: vec!["tlb/tlb_flush"], ..Trace::default() };
        let threads = Threads::new([(10, Part::Kernel), (20, Part::Program)]);
        let counted = counts(&trace, &threads);
        let of_block = ["block_reads", "block_kib_read"]
            .map(|name| counted[&Seen::Events.counter(Part::Kernel, name)]);
        assert_eq!(of_block, [2.0, 12.0]);
        let counted: Vec<String> = counted.into_keys().collect();
        let expected = [
            "outside/calls/kernel/futex",
            "outside/events/kernel/block_kib_read",
            "outside/events/kernel/block_other_requests",
            "outside/events/kernel/block_reads",
            "outside/events/kernel/tlb_flush",
            "outside/signals/program/SIGSYS",
            "outside/switches/kernel/preempted",
            "outside/switches/kernel/waited",
            "outside/switches/program/stopped",
            "outside/wakeups/kernel/same_cpu",
        ];
        assert_eq!(counted, expected);
    }
}
