//! One benchmark on all layers of a block that are alive: in rounds, in each of which every layer takes one turn.

use crate::block::Block;
use crate::campaign::{RunError, Runner};
use crate::order::{draw, shuffled};
use crate::seat::Seat;
use crate::series::Meter;
use crate::turns::Turns;
use tare_layers::{SessionError, Turn};
use tare_proto::Request;
use tare_store::{Order, Recorded};

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
        let lacking =
            |run: &Self, seat: &Seat| run.lacks(block, seat.slot.layer, seat.slot.role, bench);
        let part: Vec<usize> = (0..seats.len()).filter(|&at| lacking(self, &seats[at])).collect();
        let turns = Turns::of(&self.benches[bench], bench, &block.rounds);
        let taken = match turns.filter(|_| self.plan.order == Order::Rounds) {
            Some(turns) => self.take_turns(block, seats, bench, &part, turns),
            None => self.take_series(block, seats, bench, &part),
        };
        let mut recorded = match taken {
            Ok(recorded) => recorded,
            Err(ended) => return Ok(Err(ended)),
        };
        recorded.sort_by_key(|(at, _)| *at);
        self.store.at_once(|store| {
            recorded.iter().try_for_each(|(at, recorded)| store.record(seats[*at].boot, recorded))
        })?;
        for (at, recorded) in &recorded {
            self.note(&seats[*at].slot, bench, recorded)?;
        }
        Ok(Ok(()))
    }

    /// All samples at once, on one layer after the other.
    fn take_series(
        &mut self,
        block: &Block,
        seats: &mut [Seat],
        bench: usize,
        part: &[usize],
    ) -> Result<Vec<(usize, Recorded)>, Ended> {
        let mut done = Vec::new();
        for at in self.order(block, bench, 0, part.to_vec()) {
            let recorded = self.measure(&mut seats[at], bench, &block.samples);
            done.push((at, recorded.map_err(|error| (at, error))?));
        }
        Ok(done)
    }

    /// In rounds: prepared on every layer, then one turn of each in every round.
    fn take_turns(
        &mut self,
        block: &Block,
        seats: &mut [Seat],
        bench: usize,
        part: &[usize],
        turns: Turns,
    ) -> Result<Vec<(usize, Recorded)>, Ended> {
        let mut done = Vec::new();
        let mut waiting: Vec<Part> = Vec::new();
        let taken = self.rounds(block, seats, bench, part, turns, &mut waiting, &mut done);
        if let Err((ended, _)) = &taken {
            for part in waiting.iter().filter(|part| part.seat != *ended) {
                // A layer that does not answer is found out when it is asked next.
                let _ = seats[part.seat].session.give_up(&part.request, self.within(&part.request));
            }
        }
        taken.map(|()| done)
    }

    #[allow(clippy::too_many_arguments)]
    fn rounds(
        &mut self,
        block: &Block,
        seats: &mut [Seat],
        bench: usize,
        part: &[usize],
        turns: Turns,
        waiting: &mut Vec<Part>,
        done: &mut Vec<(usize, Recorded)>,
    ) -> Result<(), Ended> {
        for at in self.order(block, bench, 0, part.to_vec()) {
            if let Some(known) = self.known(&seats[at], bench) {
                done.push((at, known));
                continue;
            }
            let id = seats[at].next_id();
            let whole = self.request(id, bench, &block.samples);
            let request = Request { turns: true, samples: turns.all(), ..whole };
            let meter = Meter::begin(&seats[at].session);
            let part = Part { seat: at, request, meter, sample_ns: 0 };
            self.turn(seats, part, None, waiting, done)?;
        }
        let slowest = waiting.iter().map(|part| part.sample_ns).max().unwrap_or(0);
        let turns = turns.within(self.limit_ms(bench), slowest);
        for round in 1..=turns.rounds {
            let turn = (turns.samples, round == turns.rounds);
            let places = (0..waiting.len()).collect();
            let order = self.order(block, bench, round, places);
            let mut parts: Vec<Option<Part>> =
                std::mem::take(waiting).into_iter().map(Some).collect();
            for at in order {
                let Some(part) = parts[at].take() else { continue };
                if let Err(ended) = self.turn(seats, part, Some(turn), waiting, done) {
                    waiting.extend(parts.into_iter().flatten());
                    return Err(ended);
                }
            }
        }
        match waiting.pop() {
            None => Ok(()),
            Some(part) => {
                let why = "it waits for another turn after its last sample";
                Err((part.seat, SessionError::Protocol(why.into())))
            }
        }
    }

    /// One turn of one layer, or its preparation.
    fn turn(
        &mut self,
        seats: &mut [Seat],
        mut part: Part,
        turn: Option<(u32, bool)>,
        waiting: &mut Vec<Part>,
        done: &mut Vec<(usize, Recorded)>,
    ) -> Result<(), Ended> {
        let seat = &mut seats[part.seat];
        let within = self.within(&part.request);
        let turn = part.meter.turn(&mut self.own, || match turn {
            None => seat.session.prepare(&part.request, within),
            Some(turn) => seat.session.take(&part.request, turn, within),
        });
        match turn.map_err(|error| (part.seat, error))? {
            Turn::Waiting(sample_ns) => waiting.push(Part { sample_ns, ..part }),
            Turn::Over(answer) => {
                seat.note(&part.meter);
                let recorded = part.meter.recorded(&part.request.bench, answer, &seat.session);
                done.push((part.seat, recorded));
            }
        }
        Ok(())
    }

    /// `items` in an order that seed, block, benchmark and round decide.
    fn order<T>(&self, block: &Block, bench: usize, round: u32, items: Vec<T>) -> Vec<T> {
        let place = u64::from(block.number) << 40 | (bench as u64) << 20 | u64::from(round);
        shuffled(draw(self.plan.seed, place | 1 << 63), 0, items)
    }
}
