//! What each thread of a layer did in a window, moment by moment, and who had each CPU.

use crate::counts::kind_of_switch;
use crate::observer::Trace;
use crate::record::{Happened, Record};
use crate::threads::Threads;
use std::collections::{BTreeMap, HashMap};
use tare_proto::outside::{ASLEEP, PREEMPTED};

/// The figure's name of time on a CPU, in whichever mode.
pub(crate) const ON_CPU: &str = "on_cpu";

/// What a thread does from some moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum State {
    Runs {
        cpu: u32,
    },
    Ready,
    /// Ready, since this thread of the layer woke it.
    Woken {
        by: u32,
    },
    /// Ready, since something else did.
    WokenFromOutside,
    Sleeps,
}

/// The changes of each thread's state, and who had each CPU, in the order of time.
#[derive(Default)]
pub(crate) struct Story {
    threads: HashMap<u32, Vec<(u64, State)>>,
    cpus: BTreeMap<u32, Vec<(u64, u32)>>,
}

impl Story {
    pub(crate) fn of(trace: &Trace, threads: &Threads) -> Story {
        let mut story = Story::default();
        let is_own = |tid: u32| threads.part(tid).is_some();
        for record in &trace.records {
            let cpu = record.cpu;
            if is_own(record.tid) {
                story.runs_by_now(trace.begin, record);
            }
            match record.what {
                Happened::Switch { from, state, to } => {
                    let runners =
                        story.cpus.entry(cpu).or_insert_with(|| vec![(trace.begin, from)]);
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
                Happened::Fork { tid, .. } if is_own(tid) => {
                    let by = record.tid;
                    let begins =
                        if is_own(by) { State::Woken { by } } else { State::WokenFromOutside };
                    story.changes(tid, (trace.begin, State::Sleeps)).push((record.time, begins));
                }
                _ => {}
            }
        }
        story
    }

    /// A thread that makes a record runs on that CPU. Where no switch to it was recorded, it has run since it was ready and the CPU went
    /// to whoever had it last: some kernels do not record how a CPU leaves its idle task.
    fn runs_by_now(&mut self, begin: u64, record: &Record) {
        let Record { time, cpu, tid, .. } = *record;
        let runners = self.cpus.entry(cpu).or_insert_with(|| vec![(begin, tid)]);
        let changes = self.threads.entry(tid).or_insert_with(|| vec![(begin, State::Runs { cpu })]);
        let (Some(&(free, runner)), Some(&(ready, state))) = (runners.last(), changes.last())
        else {
            return;
        };
        if matches!(state, State::Ready | State::Woken { .. } | State::WokenFromOutside) {
            let since = (ready + 1).max(free).min(time);
            changes.push((since, State::Runs { cpu }));
            if runner != tid {
                runners.push((since, tid));
            }
        }
    }

    /// The changes of thread `tid`; when nothing is known of it yet, it `begun` the window so.
    fn changes(&mut self, tid: u32, begun: (u64, State)) -> &mut Vec<(u64, State)> {
        self.threads.entry(tid).or_insert_with(|| vec![begun])
    }

    /// What thread `tid` did just before `now`, and since when.
    pub(crate) fn before(&self, tid: u32, now: u64) -> Option<(u64, State)> {
        let changes = self.threads.get(&tid)?;
        let after = changes.partition_point(|(time, _)| *time < now);
        changes.get(after.checked_sub(1)?).copied()
    }

    /// A thread was ready, or slept, from one moment until another one. The time is that of whoever of the layer had the CPU that the
    /// thread got in the end; of a sleep, that of whoever of the layer had any CPU: while one of its threads works, the layer does not
    /// sleep. The rest is the thread's own, in its state `kind`.
    pub(crate) fn wait(
        &self,
        (tid, kind): (u32, &str),
        (from, until): (u64, u64),
        threads: &Threads,
        add: &mut impl FnMut(u32, &str, (u64, u64)),
    ) {
        let got = self.threads.get(&tid).and_then(|changes| {
            let next = changes.partition_point(|(time, _)| *time < until);
            changes[next..].iter().find_map(|(_, state)| match state {
                State::Runs { cpu } => Some(*cpu),
                _ => None,
            })
        });
        let others = self.cpus.keys().copied().filter(|cpu| kind == ASLEEP && Some(*cpu) != got);
        let mut left = vec![(from, until)];
        for cpu in got.into_iter().chain(others) {
            for gap in std::mem::take(&mut left) {
                left.extend(self.others_on(cpu, gap, |runner, stretch| {
                    let works = runner != tid && threads.part(runner).is_some();
                    works.then(|| add(runner, ON_CPU, stretch)).is_some()
                }));
            }
        }
        left.into_iter().for_each(|gap| add(tid, kind, gap));
    }

    /// Asks `works` of each thread that had `cpu` between two moments, the last one first, and returns what it has not taken.
    fn others_on(
        &self,
        cpu: u32,
        (from, until): (u64, u64),
        mut works: impl FnMut(u32, (u64, u64)) -> bool,
    ) -> Vec<(u64, u64)> {
        let nobody = Vec::new();
        let runners = self.cpus.get(&cpu).unwrap_or(&nobody);
        let end = runners.partition_point(|(time, _)| *time < until);
        let (mut left, mut told) = (Vec::new(), until);
        for (since, runner) in runners[..end].iter().rev() {
            let stretch = ((*since).max(from), told);
            if !works(*runner, stretch) {
                left.push(stretch);
            }
            told = stretch.0;
            if told == from {
                return left;
            }
        }
        left.push((from, told));
        left
    }
}
