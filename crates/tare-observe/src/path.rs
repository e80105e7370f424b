//! Where the time of a window went: the path from its end back to its beginning.
//!
//! The path ends where a thread of the layer wakes whoever waits for the answer, and goes back in time along that thread. Where the thread
//! ran, the path is on a CPU. Where it was ready and had no CPU, the path is with whoever of the layer had that CPU, and otherwise it waits.
//! Where it slept until another thread of the layer woke it, the path goes on along that one. Where anything else woke it, it slept, but
//! for what the layer's other threads did meanwhile: a runtime's clockwork sleeps while operations go on. Before a thread began,
//! the path is that of who began it. Every moment of the window is thereby told once, on however many CPUs the layer ran, and a wake-up
//! that took its time is not missing.

use crate::counts::{Figures, kind_of_switch};
use crate::modes::records;
use crate::observer::Trace;
use crate::record::Happened;
use crate::story::{ON_CPU, State, Story};
use crate::threads::Threads;
use tare_proto::outside::{ASLEEP, READY, Seen, WAITED, WHOLE};

/// The parts of the window's time, in nanoseconds, when `reader` is the thread that waited for its end.
#[must_use]
pub fn path(trace: &Trace, threads: &Threads, reader: u32) -> Figures {
    let mut figures = records(trace, threads);
    let whole = walk(trace, threads, reader, |tid, kind, (from, until)| {
        if let Some(part) = threads.part(tid).filter(|_| until > from) {
            *figures.entry(Seen::Time.counter(part, kind)).or_default() += (until - from) as f64;
        }
    });
    figures.extend(whole.map(|ns| (WHOLE.to_owned(), ns)));
    figures
}

/// Goes along the path, and tells each stretch of it: which thread, in which state, from when until when. What all of it took, in
/// nanoseconds; `None` where the layer did nothing.
pub(crate) fn walk(
    trace: &Trace,
    threads: &Threads,
    reader: u32,
    mut add: impl FnMut(u32, &str, (u64, u64)),
) -> Option<f64> {
    let story = Story::of(trace, threads);
    let (end, last) = end_of(trace, threads, reader)?;
    let (mut now, mut tid) = (end, last);
    while now > trace.begin {
        let Some((since, state)) = story.before(tid, now) else { break };
        let from = since.max(trace.begin);
        match state {
            State::Runs { .. } => add(tid, ON_CPU, (from, now)),
            State::Ready => story.wait((tid, READY), (from, now), threads, &mut add),
            State::Woken { by } => {
                story.wait((tid, READY), (from, now), threads, &mut add);
                tid = by;
            }
            State::WokenFromOutside => story.wait((tid, READY), (from, now), threads, &mut add),
            State::Sleeps => story.wait((tid, ASLEEP), (from, now), threads, &mut add),
        }
        if since >= now {
            break; // two changes at one moment: nothing would be told any more
        }
        now = from;
    }
    Some((end - trace.begin) as f64)
}

/// When the answer was given, and by which thread: the one that woke the reader last, or else the last of the layer that ran. A reader
/// that slept after it was woken had no answer yet, and was awake for another reason when it came.
fn end_of(trace: &Trace, threads: &Threads, reader: u32) -> Option<(u64, u32)> {
    let is_own = |tid: u32| threads.part(tid).is_some();
    let sleeps = |what: Happened| {
        matches!(what, Happened::Switch { from, state, .. }
            if from == reader && kind_of_switch(state) == WAITED)
    };
    let wakes = |what: Happened| matches!(what, Happened::Waking { whom, interrupt: false } if whom == reader);
    let mut awake = trace.records.iter().rev().take_while(|record| !sleeps(record.what));
    let woke = awake.find(|record| wakes(record.what) && is_own(record.tid));
    let ran = || trace.records.iter().rev().find(|record| is_own(record.tid));
    woke.or_else(ran).map(|record| (record.time, record.tid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modes::{looks, split};
    use crate::record::{Look, Record};
    use tare_proto::outside::{Part, SYSTEM, USER};

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
        let (kernel, callers) = (Vec::new(), Vec::new());
        let found = Look { time: 400, pid: 10, tid: 10, user: true, at: 0, kernel, callers };
        let trace = Trace { records, looks: vec![found], begin: 0, end: 1000, ..Trace::default() };
        let threads = Threads::new([(10, Part::Program), (20, Part::Kernel)]);
        let mut figures = path(&trace, &threads, READER);
        let looks = looks(&trace, &threads);
        split(&mut figures, &looks, None);
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
    fn before_a_thread_began_the_time_is_that_of_who_began_it() {
        let (figures, _) = told(vec![
            at(1, 1, 0, switch(0, 0, 0)),
            at(300, 0, 20, Happened::Fork { pid: 10, tid: 10 }),
            at(310, 0, 20, switch(20, 1, 0)),
            at(350, 1, 0, switch(0, 0, 10)),
            at(900, 1, 10, wakes(READER)),
        ]);
        assert_eq!(of(&figures, Part::Kernel, &CPU), 300.0);
        assert_eq!(of(&figures, Part::Program, &[READY]), 50.0);
        assert_eq!(of(&figures, Part::Program, &CPU), 550.0);
        assert_eq!(of(&figures, Part::Program, &[ASLEEP]), 0.0);
    }

    #[test]
    fn a_runtimes_clockwork_that_slept_has_not_the_time_in_which_others_worked() {
        let (figures, _) = told(vec![
            at(100, 0, 10, switch(10, 1, 20)),
            at(200, 0, 20, switch(20, 1, 10)),
            at(600, 0, 10, Happened::Waking { whom: 20, interrupt: true }),
            at(610, 0, 10, switch(10, 0, 20)),
            at(700, 0, 20, wakes(READER)),
        ]);
        assert_eq!(of(&figures, Part::Kernel, &[ASLEEP, READY]), 0.0, "{figures:?}");
        assert_eq!(of(&figures, Part::Program, &CPU), 100.0 + 410.0);
        assert_eq!(of(&figures, Part::Kernel, &CPU), 100.0 + 90.0);
    }

    #[test]
    fn while_another_thread_works_on_another_cpu_the_layer_does_not_sleep() {
        let (figures, _) = told(vec![
            at(50, 1, 0, switch(0, 0, 10)),
            at(100, 0, 20, switch(20, 1, 0)),
            at(600, 1, 10, switch(10, 1, 0)),
            at(800, 0, 0, Happened::Waking { whom: 20, interrupt: true }),
            at(800, 0, 0, switch(0, 0, 20)),
            at(900, 0, 20, wakes(READER)),
        ]);
        assert_eq!(of(&figures, Part::Program, &CPU), 500.0);
        assert_eq!(of(&figures, Part::Kernel, &[ASLEEP]), 200.0);
        assert_eq!(of(&figures, Part::Kernel, &CPU), 100.0 + 100.0);
    }

    #[test]
    fn a_cpu_that_left_its_idle_task_unseen_was_given_to_whoever_makes_a_record_on_it() {
        let (figures, _) = told(vec![
            at(50, 1, 20, switch(20, 1, 0)),
            at(100, 0, 10, wakes(20)),
            at(110, 0, 10, switch(10, 1, 0)),
            at(300, 1, 20, wakes(10)),
            at(310, 1, 20, switch(20, 1, 0)),
            at(320, 0, 0, switch(0, 0, 10)),
            at(900, 0, 10, wakes(READER)),
        ]);
        assert_eq!(of(&figures, Part::Kernel, &CPU), 199.0);
        assert_eq!(of(&figures, Part::Kernel, &[READY]), 1.0);
        assert_eq!(of(&figures, Part::Program, &[READY]), 20.0);
        assert_eq!(of(&figures, Part::Program, &CPU), 100.0 + 580.0);
    }

    #[test]
    fn a_reader_that_slept_again_had_no_answer_yet() {
        let (figures, whole) = told(vec![
            at(100, 0, 10, wakes(READER)),
            at(120, 0, 10, switch(10, 0, READER)),
            at(150, 0, READER, switch(READER, 1, 10)),
            at(500, 1, 0, Happened::Waking { whom: READER, interrupt: true }),
            at(700, 0, 10, switch(10, 1, READER)),
        ]);
        assert_eq!(whole, 700.0, "the answer came while the reader was ready");
        assert_eq!(of(&figures, Part::Program, &CPU), 120.0 + 550.0);
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
