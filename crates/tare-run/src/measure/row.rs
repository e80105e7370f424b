//! One benchmark on all layers of a block that are alive: in rounds, in each of which every layer takes one turn.

use super::booting::Booted;
use super::held::{Seen, held_in_one_more_run, watched};
use super::meter::Meter;
use super::one_run::counted;
use super::series::{Length, known, measure};
use crate::decide::block::Block;
use crate::decide::order::{draw, shuffled};
use crate::decide::turns::Turns;
use crate::host::machine::Since;
use crate::plan::setup::Setup;
use crate::plan::slot::Slot;
use crate::record::recorder::{Ended, Recorder, RunError};
use std::time::{Duration, Instant};
use tare_layers::{Answer, Cpus, Processes, SessionError, Turn};
use tare_proto::counter::HOST_MEMORY;
use tare_proto::{Counter, Request};
use tare_store::{Order, Outcome, Recorded};

/// A benchmark that all layers are to measure, and what limits that.
pub(crate) struct Wanted<'a> {
    pub block: &'a Block,
    pub bench: usize,
    /// The boots that are made after these, each by itself.
    pub alone: &'a [Slot],
    /// How long it may take.
    pub within: Option<Duration>,
}

/// The layer of a boot, by its index, that has ended in the middle of a row.
pub(crate) struct Dead {
    pub at: usize,
    pub error: SessionError,
}

/// A row that is being measured.
struct Row<'a> {
    wanted: &'a Wanted<'a>,
    setup: &'a Setup<'a>,
    boots: &'a mut [Booted],
    /// Layers that wait for their next turn.
    waiting: Vec<Part>,
    /// Layers that are done and not looked at yet.
    over: Vec<(Part, Answer)>,
    /// What the boots have measured.
    done: Vec<Measured>,
    /// What boots of the baseline have measured once more, all samples at once.
    again: Vec<Measured>,
}

/// What a boot has measured of a benchmark.
struct Measured {
    /// The boot's index.
    at: usize,
    bench: usize,
    recorded: Recorded,
}

/// A layer's part of a row.
struct Part {
    /// The boot's index.
    at: usize,
    request: Request,
    meter: Meter,
    /// What was counted of one more run of a program.
    counters: Vec<Counter>,
    /// How long a sample takes, as the probe says.
    sample_ns: u64,
    /// A busy machine kept tare from looking at its memory while it was prepared.
    is_memory_missed: bool,
}

/// Measures a benchmark on every boot that lacks it. The row is recorded as a whole, or not at all when a layer ends in
/// the middle of it: what the others measured meanwhile was not measured beside it.
pub(crate) fn measure_row(
    recorder: &mut Recorder,
    boots: &mut [Booted],
    wanted: &Wanted,
) -> Result<(), Ended<Dead>> {
    let &Wanted { block, bench, .. } = wanted;
    let setup = recorder.setup;
    let lacks = |at: &usize| block.lacks(&recorder.history, &boots[*at].slot, bench);
    let lacking: Vec<usize> = (0..boots.len()).filter(lacks).collect();
    let turns = Turns::of(&setup.benches[bench], bench, &block.rounds);
    let mut row = Row {
        wanted,
        setup,
        boots,
        waiting: Vec::new(),
        over: Vec::new(),
        done: Vec::new(),
        again: Vec::new(),
    };
    let taken = match turns.filter(|_| setup.plan.order == Order::Rounds) {
        Some(turns) => {
            let again = row.once_more(recorder, &lacking);
            let takes_turns = |at: &usize| row.boots[*at].whole_series(setup, bench).is_none();
            let (turning, whole): (Vec<usize>, _) = lacking.into_iter().partition(takes_turns);
            row.on_the_same_cpus(&turning, |row| row.in_rounds(recorder, turning.clone(), turns))
                .and_then(|()| row.one_by_one(recorder, whole, again))
        }
        None => row.on_the_same_cpus(&lacking, |row| {
            row.one_by_one(recorder, lacking.clone(), Vec::new())
        }),
    };
    if let Err(dead) = &taken {
        row.give_up(dead.at);
    }
    taken.map_err(Ended::Failed)?;
    let Row { boots, mut done, again, .. } = row;
    done.sort_by_key(|measured| measured.at);
    Ok(record(recorder, boots, block, filled(setup, done), filled(setup, again))?)
}

/// Each boot's rows that what it has measured fills.
fn filled(setup: &Setup, measured: Vec<Measured>) -> Vec<Measured> {
    let each = |Measured { at, bench, recorded }| {
        let filled = setup.filled(bench, recorded).into_iter();
        filled.map(move |(bench, recorded)| Measured { at, bench, recorded })
    };
    measured.into_iter().flat_map(each).collect()
}

fn record(
    recorder: &mut Recorder,
    boots: &[Booted],
    block: &Block,
    mut done: Vec<Measured>,
    mut again: Vec<Measured>,
) -> Result<(), RunError> {
    done.retain(|one| block.lacks(&recorder.history, &boots[one.at].slot, one.bench));
    again.retain(|one| one.recorded.outcome == Outcome::Measured);
    recorder.store.at_once(|store| {
        done.iter().try_for_each(|one| store.record(boots[one.at].boot, &one.recorded))?;
        again.iter().try_for_each(|one| store.record_whole(boots[one.at].boot, &one.recorded))
    })?;
    for Measured { at, bench, recorded } in &done {
        recorder.note(&boots[*at].slot, *bench, recorded)?;
    }
    for Measured { at, bench, recorded } in &again {
        let info = &recorder.setup.benches[*bench];
        let key = boots[*at].slot.key(*bench);
        recorder.history.note_whole(key, info, recorded, recorder.setup.plan.most_waited());
    }
    Ok(())
}

impl Row<'_> {
    /// The boots that measure the row once more, all samples at once: the baseline's where a layer of the block does so, among the
    /// boots that are `lacking` the row or, after them, alone, since the best of short turns is no measure for it. All, where that is
    /// asked for.
    fn once_more(&self, recorder: &Recorder, lacking: &[usize]) -> Vec<usize> {
        let &Wanted { block, bench, alone, .. } = self.wanted;
        let baseline = self.setup.baseline();
        let asked = |slot: &Slot| recorder.is_asked(slot.layer, bench);
        let whole = |&at: &usize| {
            let booted = &self.boots[at];
            booted.whole_series(self.setup, bench).is_some() && asked(&booted.slot)
        };
        let waits = |slot: &Slot| {
            slot.layer != baseline
                && !recorder.history.fatal.contains(&(slot.layer, bench))
                && block.lacks(&recorder.history, slot, bench)
        };
        let robust = self.setup.plan.robust;
        if !robust && !lacking.iter().any(whole) && !alone.iter().any(waits) {
            return Vec::new();
        }
        let fresh = |at: &usize| {
            let slot = &self.boots[*at].slot;
            (robust || slot.layer == baseline)
                && self.boots[*at].whole_series(self.setup, bench).is_none()
                && !recorder.history.again.contains_key(&slot.key(bench))
                && asked(slot)
        };
        (0..self.boots.len()).filter(fresh).collect()
    }

    /// All samples at once, on one layer after the other; the baseline's boots among them that do so `again`.
    fn one_by_one(
        &mut self,
        recorder: &mut Recorder,
        boots: Vec<usize>,
        again: Vec<usize>,
    ) -> Result<(), Dead> {
        let Wanted { block, bench, .. } = *self.wanted;
        let boots = boots.into_iter().map(|at| (at, false));
        let all: Vec<(usize, bool)> = boots.chain(again.into_iter().map(|at| (at, true))).collect();
        let setup = self.setup;
        let any_lasts = all.iter().any(|(at, _)| self.boots[*at].is_sustained(setup))
            || self.wanted.alone.iter().any(|slot| setup.has_modes(slot.layer));
        for (at, again) in self.order(0, all) {
            let booted = &mut self.boots[at];
            // The baseline is measured on as many CPUs as the layers that are divided by it.
            let is_usual = setup.layers[booted.slot.layer].layer.cpus() == Cpus::Usual;
            let moves = again && is_usual && !setup.plan.wide.is_empty();
            if moves {
                booted.move_to(&setup.plan.wide);
            }
            let length = match (any_lasts, booted.is_sustained(setup)) {
                (false, _) => Length::Usual,
                (true, false) => Length::Beside,
                (true, true) => Length::Sustained,
            };
            let recorded = measure(recorder, booted, bench, &block.samples, length);
            if moves {
                booted.move_to(setup.cpus(booted.slot.layer, booted.slot.role));
            }
            let recorded = recorded.map_err(|error| Dead { at, error })?;
            let measured = if again { &mut self.again } else { &mut self.done };
            measured.push(Measured { at, bench, recorded });
        }
        Ok(())
    }

    /// Does `work` with `boots` on as many CPUs as the layer that is made for most has, if the row is a program's: it may have several
    /// processes, which all take turns with those of that layer.
    fn on_the_same_cpus<T>(&mut self, boots: &[usize], work: impl FnOnce(&mut Self) -> T) -> T {
        let setup = self.setup;
        let wide = &setup.plan.wide;
        let is_program = setup.program(self.wanted.bench).is_some();
        let is_moved = |booted: &Booted| {
            setup.layers[booted.slot.layer].layer.cpus() == Cpus::Usual && is_program
        };
        let mut moved: Vec<usize> = boots.to_vec();
        moved.retain(|&at| is_moved(&self.boots[at]) && !wide.is_empty());
        moved.iter().for_each(|&at| self.boots[at].move_to(wide));
        let done = work(self);
        for at in moved {
            let Slot { layer, role, .. } = self.boots[at].slot;
            self.boots[at].move_to(setup.cpus(layer, role));
        }
        done
    }

    /// In rounds: prepared on every layer, then one turn of each in every round; in fewer, if they would not end within the
    /// time for the row.
    fn in_rounds(
        &mut self,
        recorder: &mut Recorder,
        boots: Vec<usize>,
        turns: Turns,
    ) -> Result<(), Dead> {
        let Wanted { block, bench, within, .. } = *self.wanted;
        let mut asked = Vec::new();
        for at in self.order(0, boots) {
            if let Some(recorded) = known(recorder, &self.boots[at], bench) {
                self.done.push(Measured { at, bench, recorded });
                continue;
            }
            let id = self.boots[at].next_id();
            let whole = self.setup.request(id, bench, block.samples.get(&bench).copied());
            let batch_ns = self.setup.plan.batch_ns;
            let request = Request { turns: true, samples: turns.all(), batch_ns, ..whole };
            let counters = counted(self.setup, &mut self.boots[at], bench, &request);
            let counters = counters.map_err(|error| Dead { at, error })?;
            asked.push((at, request, counters));
        }
        let before = Processes::now();
        let begins = |(at, request, counters): (usize, Request, Vec<Counter>)| {
            let meter = Meter::begin(&self.boots[at], &request.bench, &before);
            Part { at, request, meter, counters, sample_ns: 0, is_memory_missed: false }
        };
        let parts: Vec<Part> = asked.into_iter().map(begins).collect();
        let since = Since::now();
        for part in parts {
            self.turn(part, None)?;
        }
        let slowest = self.waiting.iter().map(|part| part.sample_ns).max().unwrap_or(0);
        let turns = turns.within(self.setup.limit_ms(bench), slowest);
        let is_open = self.setup.is_run_as_often_as_it_pays(bench);
        let is_base = |part: &&Part| self.boots[part.at].slot.layer == self.setup.baseline();
        let bases = self.waiting.iter().filter(|_| is_open).filter(is_base);
        let base_ns = bases.map(|part| part.sample_ns).max().unwrap_or(0);
        let begin = Instant::now();
        let mut last = false;
        for round in 1..=turns.rounds {
            if last {
                break;
            }
            last = turns.is_last(round, begin.elapsed(), within);
            let parts = std::mem::take(&mut self.waiting);
            let mut parts = self.order(round, parts).into_iter();
            while let Some(part) = parts.next() {
                let last = last || round >= turns.rounds_of(part.sample_ns, base_ns);
                if let Err(ended) = self.turn(part, Some((turns.samples, last))) {
                    self.waiting.extend(parts);
                    return Err(ended);
                }
            }
        }
        if let Some(part) = self.waiting.first() {
            let why = "it waits for another turn after its last sample";
            return Err(Dead { at: part.at, error: SessionError::Protocol(why.into()) });
        }
        recorder.own.add(&since);
        let after = Processes::now();
        for (part, answer) in self.over.drain(..) {
            let Part { at, request, .. } = part;
            let booted = &mut self.boots[at];
            let mut recorded = part.meter.recorded(&request.bench, answer, booted, &after);
            recorded.series.counters.extend(part.counters);
            if part.is_memory_missed {
                let held = held_in_one_more_run(recorder, booted, &request);
                let held = held.map_err(|error| Dead { at, error })?;
                let counter = held.map(|bytes| Counter::new(HOST_MEMORY, bytes as f64));
                recorded.series.counters.extend(counter);
            }
            self.done.push(Measured { at, bench, recorded });
        }
        Ok(())
    }

    /// One turn of one layer, of so many samples and perhaps the last, or its preparation.
    fn turn(&mut self, mut part: Part, turn: Option<(u32, bool)>) -> Result<(), Dead> {
        let (setup, bench) = (self.setup, self.wanted.bench);
        let booted = &mut self.boots[part.at];
        let session = &mut booted.session;
        let within = setup.within(&part.request);
        let (answer, seen) = part.meter.turn(|| match turn {
            Some(turn) => (session.take(&part.request, turn, within), None),
            // Looking disturbs, and what prepares a program runs it without its time.
            None if setup.wants(bench, HOST_MEMORY) => {
                let (answer, seen) =
                    watched(session, |session| session.prepare(&part.request, within));
                (answer, Some(seen))
            }
            None => (session.prepare(&part.request, within), None),
        });
        if let Some(Seen { most, is_whole }) = seen {
            part.meter.held(most.filter(|_| is_whole));
            part.is_memory_missed = !is_whole;
        }
        match answer.map_err(|error| Dead { at: part.at, error })? {
            Turn::Waiting(sample_ns) => self.waiting.push(Part { sample_ns, ..part }),
            Turn::Over(answer) => {
                booted.busy += part.meter.busy();
                self.over.push((part, answer));
            }
        }
        Ok(())
    }

    /// Tells the layers that wait for a turn that the row is over, since the layer of boot `ended` has ended.
    fn give_up(&mut self, ended: usize) {
        for part in self.waiting.iter().filter(|part| part.at != ended) {
            // A layer that does not answer is found out when it is asked next.
            let session = &mut self.boots[part.at].session;
            let _ = session.give_up(&part.request, self.setup.within(&part.request));
        }
    }

    /// `items` in an order that seed, block, benchmark and round decide.
    fn order<T>(&self, round: u32, items: Vec<T>) -> Vec<T> {
        let block = u64::from(self.wanted.block.number);
        let bench = self.wanted.bench as u64;
        let place = block << 40 | bench << 20 | u64::from(round);
        // The highest bit keeps these draws apart from those of perturbations and visits.
        shuffled(draw(self.setup.plan.seed, place | 1 << 63), 0, items)
    }
}
