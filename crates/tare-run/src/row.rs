//! One benchmark on all layers of a block that are alive: in rounds, in each of which every layer takes one turn.

use crate::block::Block;
use crate::booted::Booted;
use crate::machine::Since;
use crate::order::{draw, shuffled};
use crate::runner::{RunError, Runner};
use crate::series::Meter;
use crate::slot::Slot;
use crate::turns::Turns;
use std::time::{Duration, Instant};
use tare_layers::{Answer, Processes, SessionError, Turn};
use tare_proto::Request;
use tare_store::{Order, Outcome, Recorded, Role};

/// A row that is being measured.
struct Row<'a> {
    block: &'a Block,
    bench: usize,
    boots: &'a mut [Booted],
    /// Layers that wait for their next turn.
    waiting: Vec<Part>,
    /// Layers that are done and not looked at yet.
    over: Vec<(Part, Answer)>,
    /// What is known of each booted.
    done: Vec<(usize, Recorded)>,
    /// What boots of the baseline have measured once more, all samples at once.
    again: Vec<(usize, Recorded)>,
}

/// A layer's part of a row.
struct Part {
    /// Index of its booted.
    booted: usize,
    request: Request,
    meter: Meter,
    /// How long a sample takes, as the probe says.
    sample_ns: u64,
}

/// Which layer ended in a row, and why.
type Ended = (usize, SessionError);

impl Runner<'_> {
    /// Measures `bench` on every booted that lacks it. The row is recorded as a whole, or not at all when a layer ends in
    /// the middle of it: what the others measured meanwhile was not measured beside it.
    pub(crate) fn row(
        &mut self,
        block: &Block,
        boots: &mut [Booted],
        bench: usize,
        (alone, within): (&[usize], Option<Duration>),
    ) -> Result<Result<(), Ended>, RunError> {
        let lacking =
            |booted: &Booted| self.lacks(block, booted.slot.layer, booted.slot.role, bench);
        let lacking: Vec<usize> = (0..boots.len()).filter(|&at| lacking(&boots[at])).collect();
        let turns = Turns::of(&self.benches[bench], bench, &block.rounds);
        let turns = turns.filter(|_| self.plan.order == Order::Rounds);
        let (waiting, over, done, again) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut row = Row { block, bench, boots, waiting, over, done, again };
        let taken = match turns {
            Some(turns) => {
                let pauses = |at: &usize| self.pauses(row.boots[*at].slot.layer).is_none();
                let again = self.once_more(&row, &lacking, alone);
                let (turning, whole) = lacking.into_iter().partition(pauses);
                self.in_rounds(&mut row, turning, turns, within)
                    .and_then(|()| self.one_by_one(&mut row, whole, again))
            }
            None => self.one_by_one(&mut row, lacking, Vec::new()),
        };
        if let Err(ended) = taken {
            self.give_up(row, ended.0);
            return Ok(Err(ended));
        }
        let Row { boots, mut done, again, .. } = row;
        done.sort_by_key(|(at, _)| *at);
        let mut done = self.filled_all(bench, done);
        done.retain(|(at, bench, _)| {
            let Slot { layer, role, .. } = boots[*at].slot;
            self.lacks(block, layer, role, *bench)
        });
        let mut again = self.filled_all(bench, again);
        again.retain(|(_, _, recorded)| recorded.outcome == Outcome::Measured);
        self.store.at_once(|store| {
            done.iter().try_for_each(|(at, _, one)| store.record(boots[*at].boot, one))?;
            again.iter().try_for_each(|(at, _, one)| store.record_whole(boots[*at].boot, one))
        })?;
        for (at, bench, recorded) in &done {
            self.note(&boots[*at].slot, *bench, recorded)?;
        }
        for (at, bench, recorded) in &again {
            let Slot { block, layer, role, .. } = boots[*at].slot;
            self.history.note_whole((block, layer, role, *bench), &self.benches[*bench], recorded);
        }
        Ok(Ok(()))
    }

    /// Each booted's rows that what it has measured fills.
    fn filled_all(
        &self,
        bench: usize,
        done: Vec<(usize, Recorded)>,
    ) -> Vec<(usize, usize, Recorded)> {
        let each = |(at, recorded)| {
            let filled = self.filled(bench, recorded).into_iter();
            filled.map(move |(bench, filled)| (at, bench, filled))
        };
        done.into_iter().flat_map(each).collect()
    }

    /// The baseline's boots that measure the row once more, all samples at once: where a layer of the block does so, among the
    /// boots that are `lacking` the row or, after them, `alone`. The best of short turns is no measure for it.
    fn once_more(&self, row: &Row, lacking: &[usize], alone: &[usize]) -> Vec<usize> {
        let asked = |slot: &Slot| self.is_asked(slot, row.bench);
        let booted = lacking.iter().map(|&at| &row.boots[at].slot);
        let pauses = |slot: &Slot| self.pauses(slot.layer).is_some() && asked(slot);
        let waits = |&layer: &usize| {
            let fatal = self.history.fatal.contains(&(layer, row.bench));
            layer != self.baseline()
                && !fatal
                && self.lacks(row.block, layer, Role::Weigh, row.bench)
        };
        if !booted.into_iter().any(pauses) && !alone.iter().any(waits) {
            return Vec::new();
        }
        let fresh = |at: &usize| {
            let Slot { block, layer, role, .. } = row.boots[*at].slot;
            let key = (block, layer, role, row.bench);
            layer == self.baseline() && !self.history.again.contains_key(&key)
        };
        let boots = (0..row.boots.len()).filter(fresh);
        boots.filter(|&at| asked(&row.boots[at].slot)).collect()
    }

    /// Why `layer` takes no turns, although it waits with the others.
    pub(crate) fn pauses(&self, layer: usize) -> Option<&'static str> {
        self.layers[layer].layer.whole_series()
    }

    /// All samples at once, on one layer after the other; the baseline's boots among them that do so `again`.
    fn one_by_one(
        &mut self,
        row: &mut Row,
        boots: Vec<usize>,
        again: Vec<usize>,
    ) -> Result<(), Ended> {
        let boots = boots.into_iter().map(|at| (at, false));
        let all: Vec<(usize, bool)> = boots.chain(again.into_iter().map(|at| (at, true))).collect();
        for (at, again) in self.order(row, 0, all) {
            let recorded = self.measure(&mut row.boots[at], row.bench, &row.block.samples);
            let recorded = recorded.map_err(|error| (at, error))?;
            if again { &mut row.again } else { &mut row.done }.push((at, recorded));
        }
        Ok(())
    }

    /// In rounds: prepared on every layer, then one turn of each in every round; in fewer, if they would not end `within` the
    /// time for the row.
    fn in_rounds(
        &mut self,
        row: &mut Row,
        boots: Vec<usize>,
        turns: Turns,
        within: Option<Duration>,
    ) -> Result<(), Ended> {
        let before = Processes::now();
        let mut parts = Vec::new();
        for at in self.order(row, 0, boots) {
            if let Some(known) = self.known(&row.boots[at], row.bench) {
                row.done.push((at, known));
                continue;
            }
            let id = row.boots[at].next_id();
            let whole = self.request(id, row.bench, &row.block.samples);
            let (samples, batch_ns) = (turns.all(), self.plan.batch_ns);
            let request = Request { turns: true, samples, batch_ns, ..whole };
            let meter = Meter::begin(&row.boots[at].session, &before);
            parts.push(Part { booted: at, request, meter, sample_ns: 0 });
        }
        let since = Since::now();
        for part in parts {
            self.turn(row, part, None)?;
        }
        let slowest = row.waiting.iter().map(|part| part.sample_ns).max().unwrap_or(0);
        let turns = turns.within(self.limit_ms(row.bench), slowest);
        let (begin, mut last) = (Instant::now(), false);
        for round in 1..=turns.rounds {
            if last {
                break;
            }
            last = turns.is_last(round, begin.elapsed(), within);
            let parts = std::mem::take(&mut row.waiting);
            let mut parts = self.order(row, round, parts).into_iter();
            while let Some(part) = parts.next() {
                let turn = (turns.samples, last);
                if let Err(ended) = self.turn(row, part, Some(turn)) {
                    row.waiting.extend(parts);
                    return Err(ended);
                }
            }
        }
        if let Some(part) = row.waiting.first() {
            let why = "it waits for another turn after its last sample";
            return Err((part.booted, SessionError::Protocol(why.into())));
        }
        self.own.add(&since);
        let after = Processes::now();
        for (part, answer) in row.over.drain(..) {
            let session = &row.boots[part.booted].session;
            let recorded = part.meter.recorded(&part.request.bench, answer, session, &after);
            row.done.push((part.booted, recorded));
        }
        Ok(())
    }

    /// One turn of one layer, or its preparation.
    fn turn(&self, row: &mut Row, mut part: Part, turn: Option<(u32, bool)>) -> Result<(), Ended> {
        let booted = &mut row.boots[part.booted];
        let within = self.within(&part.request);
        let answer = part.meter.turn(|| match turn {
            None => booted.session.prepare(&part.request, within),
            Some(turn) => booted.session.take(&part.request, turn, within),
        });
        match answer.map_err(|error| (part.booted, error))? {
            Turn::Waiting(sample_ns) => row.waiting.push(Part { sample_ns, ..part }),
            Turn::Over(answer) => {
                booted.busy += part.meter.busy();
                row.over.push((part, answer));
            }
        }
        Ok(())
    }

    /// Lets go of a row in which the layer of booted `ended` has ended.
    fn give_up(&self, row: Row, ended: usize) {
        for part in row.waiting.iter().filter(|part| part.booted != ended) {
            // A layer that does not answer is found out when it is asked next.
            let session = &mut row.boots[part.booted].session;
            let _ = session.give_up(&part.request, self.within(&part.request));
        }
    }

    /// `items` in an order that seed, block, benchmark and round decide.
    fn order<T>(&self, row: &Row, round: u32, items: Vec<T>) -> Vec<T> {
        let (block, bench) = (u64::from(row.block.number), row.bench as u64);
        let place = block << 40 | bench << 20 | u64::from(round);
        shuffled(draw(self.plan.seed, place | 1 << 63), 0, items)
    }
}
