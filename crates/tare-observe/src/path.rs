//! Where the time of a window went: the path from its end back to its beginning.
//!
//! The path ends where a thread of the layer wakes whoever waits for the answer, and goes back in time along that thread. Where the thread
//! ran, the path is on a CPU. Where it was ready and had no CPU, the path is with whoever of the layer had that CPU, and otherwise it waits.
//! Where it slept until another thread of the layer woke it, the path goes on along that one. Where anything else woke it, it slept. Every
//! moment of the window is thereby told once, on however many CPUs the layer ran, and a wake-up that took its time is not missing.

use crate::counts::{Figures, kind_of_switch};
use crate::observer::Trace;
use crate::record::Happened;
use crate::threads::Threads;
use std::collections::{BTreeMap, HashMap};
use tare_proto::outside::{ASLEEP, PREEMPTED, Part, READY, SYSTEM, Seen, USER, WHOLE};

/// Names of figures that stand for [`USER`] and [`SYSTEM`] until [`split`]: time on a CPU, and where the clock found the part.
const ON_CPU: &str = "on_cpu";
const SEEN_IN_USER: &str = "seen_user";
const SEEN_IN_KERNEL: &str = "seen_kernel";

/// What a thread does from some moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Runs { cpu: u32 },
    Ready,
    /// Ready, since this thread of the layer woke it.
    Woken { by: u32 },
    /// Ready, since something else did.
    WokenFromOutside,
    Sleeps,
}

/// The changes of each thread's state, and who had each CPU, in the order of time.
#[derive(Default)]
struct Story {
    threads: HashMap<u32, Vec<(u64, State)>>,
    cpus: BTreeMap<u32, Vec<(u64, u32)>>,
}

/// The parts of the window's time, in nanoseconds, when `reader` is the thread that waited for its end.
#[must_use]
pub fn path(trace: &Trace, threads: &Threads, reader: u32) -> Figures {
    let story = Story::of(trace, threads);
    let mut figures = seen_by_clock(trace, threads);
    let Some((end, last)) = end_of(trace, threads, reader) else { return figures };
    figures.insert(WHOLE.into(), (end - trace.begin) as f64);
    let mut add = |tid: u32, kind: &str, ns: u64| {
        if let Some(part) = threads.part(tid).filter(|_| ns > 0) {
            *figures.entry(Seen::Time.counter(part, kind)).or_default() += ns as f64;
        }
    };
    let (mut now, mut tid) = (end, last);
    while now > trace.begin {
        let Some((since, state)) = story.before(tid, now) else { break };
        let from = since.max(trace.begin);
        match state {
            State::Runs { .. } => add(tid, ON_CPU, now - from),
            State::Ready => story.wait(tid, from, now, threads, &mut add),
            State::Woken { by } => {
                story.wait(tid, from, now, threads, &mut add);
                tid = by;
            }
            State::WokenFromOutside => story.wait(tid, from, now, threads, &mut add),
            State::Sleeps => add(tid, ASLEEP, now - from),
        }
        if since >= now {
            break; // two changes at one moment: nothing would be told any more
        }
        now = from;
    }
    figures
}

/// Parts the time on a CPU of each part of the layer into user mode and the kernel, by where the clock found it in all of the `looks`.
pub fn split(figures: &mut Figures, looks: &Figures) {
    for part in Part::ALL {
        let name = |kind: &str| Seen::Time.counter(part, kind);
        let on_cpu = figures.remove(&name(ON_CPU)).unwrap_or(0.0);
        figures.remove(&name(SEEN_IN_USER));
        figures.remove(&name(SEEN_IN_KERNEL));
        let found = |kind: &str| looks.get(&name(kind)).copied().unwrap_or(0.0);
        let (user, kernel) = (found(SEEN_IN_USER), found(SEEN_IN_KERNEL));
        if on_cpu != 0.0 {
            let share = if user + kernel > 0.0 { user / (user + kernel) } else { 0.5 };
            figures.insert(name(USER), on_cpu * share);
            figures.insert(name(SYSTEM), on_cpu * (1.0 - share));
        }
    }
}

/// Where the CPUs' clock found the layer's threads.
fn seen_by_clock(trace: &Trace, threads: &Threads) -> Figures {
    let mut figures = Figures::new();
    for record in &trace.records {
        if let (Happened::Clock { user }, Some(part)) = (record.what, threads.part(record.tid)) {
            let kind = if user { SEEN_IN_USER } else { SEEN_IN_KERNEL };
            *figures.entry(Seen::Time.counter(part, kind)).or_default() += 1.0;
        }
    }
    figures
}

/// When the answer was given, and by which thread: the last that woke the reader, or else the last of the layer that ran.
fn end_of(trace: &Trace, threads: &Threads, reader: u32) -> Option<(u64, u32)> {
    let is_own = |tid: u32| threads.part(tid).is_some();
    let mut backwards = trace.records.iter().rev();
    let woke = backwards.find(|record| {
        let woke = matches!(record.what, Happened::Waking { whom, interrupt: false } if whom == reader);
        woke && is_own(record.tid)
    });
    let ran = || trace.records.iter().rev().find(|record| is_own(record.tid));
    woke.or_else(ran).map(|record| (record.time, record.tid))
}

impl Story {
    fn of(trace: &Trace, threads: &Threads) -> Story {
        let mut story = Story::default();
        let is_own = |tid: u32| threads.part(tid).is_some();
        for record in &trace.records {
            let cpu = record.cpu;
            match record.what {
                Happened::Switch { from, state, to } => {
                    let runners = story.cpus.entry(cpu).or_insert_with(|| vec![(trace.begin, from)]);
                    runners.push((record.time, to));
                    if is_own(from) {
                        let begun = (trace.begin, State::Runs { cpu });
                        let stays = kind_of_switch(state) == PREEMPTED;
                        let now = if stays { State::Ready } else { State::Sleeps };
                        story.changes(from, begun).push((record.time, now));
                    }
                    if is_own(to) {
                        let begun = (trace.begin, State::Sleeps);
                        story.changes(to, begun).push((record.time, State::Runs { cpu }));
                    }
                }
                Happened::Waking { whom, interrupt } if is_own(whom) => {
                    let inside = !interrupt && is_own(record.tid);
                    let by = record.tid;
                    let now = if inside { State::Woken { by } } else { State::WokenFromOutside };
                    let changes = story.changes(whom, (trace.begin, State::Sleeps));
                    if changes.last().is_some_and(|(_, state)| *state == State::Sleeps) {
                        changes.push((record.time, now));
                    }
                }
                _ => {}
            }
        }
        story
    }

    /// The changes of thread `tid`; when nothing is known of it yet, it `begun` the window so.
    fn changes(&mut self, tid: u32, begun: (u64, State)) -> &mut Vec<(u64, State)> {
        self.threads.entry(tid).or_insert_with(|| vec![begun])
    }

    /// What thread `tid` did just before `now`, and since when.
    fn before(&self, tid: u32, now: u64) -> Option<(u64, State)> {
        let changes = self.threads.get(&tid)?;
        let after = changes.partition_point(|(time, _)| *time < now);
        changes.get(after.checked_sub(1)?).copied()
    }

    /// A thread was ready from one moment until another one, when it got a CPU: the time is that of whoever of the layer had this CPU,
    /// and otherwise the thread waited.
    fn wait(
        &self,
        tid: u32,
        from: u64,
        until: u64,
        threads: &Threads,
        add: &mut impl FnMut(u32, &str, u64),
    ) {
        let cpu = self.threads.get(&tid).and_then(|changes| {
            let next = changes.partition_point(|(time, _)| *time < until);
            match changes.get(next)?.1 {
                State::Runs { cpu } => Some(cpu),
                _ => None,
            }
        });
        let nobody = Vec::new();
        let runners = cpu.and_then(|cpu| self.cpus.get(&cpu)).unwrap_or(&nobody);
        let mut told = until;
        let end = runners.partition_point(|(time, _)| *time < until);
        for (since, runner) in runners[..end].iter().rev() {
            let begin = (*since).max(from);
            match threads.part(*runner) {
                Some(_) if *runner != tid => add(*runner, ON_CPU, told - begin),
                _ => add(tid, READY, told - begin),
            }
            told = begin;
            if told == from {
                return;
            }
        }
        add(tid, READY, told - from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    const READER: u32 = 99;

    fn at(time: u64, cpu: u32, tid: u32, what: Happened) -> Record {
        Record { time, cpu, pid: tid, tid, what }
    }

    fn wakes(whom: u32) -> Happened {
        Happened::Waking { whom, interrupt: false }
    }

    fn switch(from: u32, state: u64, to: u32) -> Happened {
        Happened::Switch { from, state, to }
    }

    fn told(records: Vec<Record>) -> (Figures, f64) {
        let trace = Trace { records, begin: 0, end: 1000, ..Trace::default() };
        let threads = Threads::new([(10, Part::Program), (20, Part::Kernel)]);
        let mut figures = path(&trace, &threads, READER);
        let looks = figures.clone();
        split(&mut figures, &looks);
        let whole = figures.remove(WHOLE).unwrap();
        let sum: f64 = figures.values().sum();
        assert_eq!(sum, whole, "{figures:?}");
        (figures, whole)
    }

    fn of(figures: &Figures, part: Part, kinds: &[&str]) -> f64 {
        let get = |kind: &&str| figures.get(&Seen::Time.counter(part, kind)).unwrap_or(&0.0);
        kinds.iter().map(get).sum()
    }

    const CPU: [&str; 2] = [USER, SYSTEM];

    #[test]
    fn on_one_cpu_the_waker_that_goes_on_has_the_time_until_the_switch() {
        let (figures, whole) = told(vec![
            at(100, 0, 10, wakes(20)),
            at(130, 0, 10, switch(10, 1, 20)),
            at(300, 0, 20, wakes(10)),
            at(310, 0, 20, switch(20, 1, 10)),
            at(400, 0, 10, Happened::Clock { user: true }),
            at(900, 0, 10, wakes(READER)),
        ]);
        assert_eq!(whole, 900.0);
        assert_eq!(of(&figures, Part::Program, &[USER]), 130.0 + 590.0, "the clock saw user mode");
        assert_eq!(of(&figures, Part::Kernel, &CPU), 180.0);
    }

    #[test]
    fn a_wakeup_on_another_cpu_that_takes_its_time_is_told() {
        let (figures, _) = told(vec![
            at(1, 1, 0, switch(0, 0, 0)),
            at(100, 0, 10, wakes(20)),
            at(110, 0, 10, switch(10, 1, 0)),
            at(150, 1, 0, switch(0, 0, 20)),
            at(300, 1, 20, wakes(10)),
            at(340, 0, 0, switch(0, 0, 10)),
            at(500, 0, 10, wakes(READER)),
        ]);
        assert_eq!(of(&figures, Part::Kernel, &[READY]), 50.0);
        assert_eq!(of(&figures, Part::Program, &[READY]), 40.0);
        assert_eq!(of(&figures, Part::Kernel, &CPU), 150.0);
        assert_eq!(of(&figures, Part::Program, &CPU), 100.0 + 160.0);
    }

    #[test]
    fn a_timers_sleep_and_a_neighbours_turn_are_neither_work_nor_missing() {
        let (figures, _) = told(vec![
            at(100, 0, 10, switch(10, 1, 0)),
            at(400, 0, 0, Happened::Waking { whom: 10, interrupt: true }),
            at(410, 0, 0, switch(0, 0, 10)),
            at(500, 0, 10, switch(10, 0, 77)),
            at(700, 0, 77, switch(77, 1, 10)),
            at(800, 0, 10, wakes(READER)),
        ]);
        assert_eq!(of(&figures, Part::Program, &[ASLEEP]), 300.0);
        assert_eq!(of(&figures, Part::Program, &[READY]), 10.0 + 200.0);
        assert_eq!(of(&figures, Part::Program, &CPU), 100.0 + 90.0 + 100.0);
    }
}
