//! One benchmark on all layers of a block that are alive: in rounds, in each of which every layer takes one turn.

use crate::block::Block;
use crate::campaign::{RunError, Runner};
use crate::machine::Since;
use crate::order::{draw, shuffled};
use crate::seat::Seat;
use crate::series::Meter;
use crate::slot::Slot;
use crate::turns::Turns;
use tare_layers::{Answer, Processes, SessionError, Turn};
use tare_proto::Request;
use tare_store::{Order, Recorded};

/// A row that is being measured.
struct Row<'a> {
    block: &'a Block,
    bench: usize,
    seats: &'a mut [Seat],
    /// Layers that wait for their next turn.
    waiting: Vec<Part>,
    /// Layers that are done and not looked at yet.
    over: Vec<(Part, Answer)>,
    /// What is known of each seat.
    done: Vec<(usize, Recorded)>,
}

/// A layer's part of a row.
struct Part {
    /// Index of its seat.
    seat: usize,
    request: Request,
    meter: Meter,
    /// How long a sample takes, as the probe says.
    sample_ns: u64,
}

/// Which layer ended in a row, and why.
type Ended = (usize, SessionError);

impl Runner<'_> {
    /// Measures `bench` on every seat that lacks it. The row is recorded as a whole, or not at all when a layer ends in
    /// the middle of it: what the others measured meanwhile was not measured beside it.
    pub(crate) fn row(
        &mut self,
        block: &Block,
        seats: &mut [Seat],
        bench: usize,
    ) -> Result<Result<(), Ended>, RunError> {
        let lacking = |seat: &Seat| self.lacks(block, seat.slot.layer, seat.slot.role, bench);
        let lacking: Vec<usize> = (0..seats.len()).filter(|&at| lacking(&seats[at])).collect();
        let turns = Turns::of(&self.benches[bench], bench, &block.rounds);
        let mut row =
            Row { block, bench, seats, waiting: Vec::new(), over: Vec::new(), done: Vec::new() };
        let taken = match turns.filter(|_| self.plan.order == Order::Rounds) {
            Some(turns) => {
                let pauses = |at: &usize| self.pauses(row.seats[*at].slot.layer).is_none();
                let (turning, whole) = lacking.into_iter().partition(pauses);
                self.in_rounds(&mut row, turning, turns)
                    .and_then(|()| self.one_by_one(&mut row, whole))
            }
            None => self.one_by_one(&mut row, lacking),
        };
        if let Err(ended) = taken {
            self.give_up(row, ended.0);
            return Ok(Err(ended));
        }
        row.done.sort_by_key(|(at, _)| *at);
        let Row { seats, done, .. } = row;
        let filled = done.into_iter().flat_map(|(at, recorded)| {
            self.filled(bench, recorded).into_iter().map(move |(bench, filled)| (at, bench, filled))
        });
        let mut filled: Vec<_> = filled.collect();
        filled.retain(|(at, bench, _)| {
            let Slot { layer, role, .. } = seats[*at].slot;
            self.lacks(block, layer, role, *bench)
        });
        self.store.at_once(|store| {
            filled.iter().try_for_each(|(at, _, recorded)| store.record(seats[*at].boot, recorded))
        })?;
        for (at, bench, recorded) in &filled {
            self.note(&seats[*at].slot, *bench, recorded)?;
        }
        Ok(Ok(()))
    }

    /// Why `layer` takes no turns, although it waits with the others.
    pub(crate) fn pauses(&self, layer: usize) -> Option<&'static str> {
        self.layers[layer].layer.whole_series()
    }

    /// All samples at once, on one layer after the other.
    fn one_by_one(&mut self, row: &mut Row, seats: Vec<usize>) -> Result<(), Ended> {
        for at in self.order(row, 0, seats) {
            let recorded = self.measure(&mut row.seats[at], row.bench, &row.block.samples);
            row.done.push((at, recorded.map_err(|error| (at, error))?));
        }
        Ok(())
    }

    /// In rounds: prepared on every layer, then one turn of each in every round.
    fn in_rounds(&mut self, row: &mut Row, seats: Vec<usize>, turns: Turns) -> Result<(), Ended> {
        let before = Processes::now();
        let mut parts = Vec::new();
        for at in self.order(row, 0, seats) {
            if let Some(known) = self.known(&row.seats[at], row.bench) {
                row.done.push((at, known));
                continue;
            }
            let id = row.seats[at].next_id();
            let whole = self.request(id, row.bench, &row.block.samples);
            let (samples, batch_ns) = (turns.all(), self.plan.batch_ns);
            let request = Request { turns: true, samples, batch_ns, ..whole };
            let meter = Meter::begin(&row.seats[at].session, &before);
            parts.push(Part { seat: at, request, meter, sample_ns: 0 });
        }
        let since = Since::now();
        for part in parts {
            self.turn(row, part, None)?;
        }
        let slowest = row.waiting.iter().map(|part| part.sample_ns).max().unwrap_or(0);
        let turns = turns.within(self.limit_ms(row.bench), slowest);
        for round in 1..=turns.rounds {
            let parts = std::mem::take(&mut row.waiting);
            let mut parts = self.order(row, round, parts).into_iter();
            while let Some(part) = parts.next() {
                let turn = (turns.samples, round == turns.rounds);
                if let Err(ended) = self.turn(row, part, Some(turn)) {
                    row.waiting.extend(parts);
                    return Err(ended);
                }
            }
        }
        if let Some(part) = row.waiting.first() {
            let why = "it waits for another turn after its last sample";
            return Err((part.seat, SessionError::Protocol(why.into())));
        }
        self.own.add(&since);
        let after = Processes::now();
        for (part, answer) in row.over.drain(..) {
            let session = &row.seats[part.seat].session;
            let recorded = part.meter.recorded(&part.request.bench, answer, session, &after);
            row.done.push((part.seat, recorded));
        }
        Ok(())
    }

    /// One turn of one layer, or its preparation.
    fn turn(&self, row: &mut Row, mut part: Part, turn: Option<(u32, bool)>) -> Result<(), Ended> {
        let seat = &mut row.seats[part.seat];
        let within = self.within(&part.request);
        let answer = part.meter.turn(|| match turn {
            None => seat.session.prepare(&part.request, within),
            Some(turn) => seat.session.take(&part.request, turn, within),
        });
        match answer.map_err(|error| (part.seat, error))? {
            Turn::Waiting(sample_ns) => row.waiting.push(Part { sample_ns, ..part }),
            Turn::Over(answer) => {
                seat.busy += part.meter.busy();
                row.over.push((part, answer));
            }
        }
        Ok(())
    }

    /// Lets go of a row in which the layer of seat `ended` has ended.
    fn give_up(&self, row: Row, ended: usize) {
        for part in row.waiting.iter().filter(|part| part.seat != ended) {
            // A layer that does not answer is found out when it is asked next.
            let session = &mut row.seats[part.seat].session;
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
