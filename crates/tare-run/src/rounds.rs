//! A block whose layers are alive together: they take turns, benchmark by benchmark.

use crate::block::{Block, Parted};
use crate::budget::Budget;
use crate::campaign::{RunError, Runner, Stop};
use crate::idle;
use crate::memory;
use crate::observe::Event;
use crate::seat::Seat;
use crate::slot::Slot;
use std::collections::{HashMap, VecDeque};
use tare_layers::SessionError;
use tare_store::{Order, Role};

impl Runner<'_> {
    /// Measures `together` in turns. The boots that turn out to need the machine for themselves are put to `alone`.
    pub(crate) fn in_turns(
        &mut self,
        block: &Block,
        parted: &mut Parted,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut seats = Vec::new();
        let ended = self.take_seats(block, parted, &mut seats);
        let ended = ended.and_then(|()| self.all_rows(block, &mut seats, budget));
        let interrupted = matches!(ended, Err(Stop::Interrupted));
        for seat in seats {
            if interrupted {
                self.give_way(seat, SessionError::Interrupted, None)?;
            } else {
                self.leave(seat, &[])?;
            }
        }
        ended
    }

    /// Boots the layers one after the other; those that are up wait.
    fn take_seats(
        &mut self,
        block: &Block,
        parted: &mut Parted,
        seats: &mut Vec<Seat>,
    ) -> Result<(), Stop> {
        for (at, &(slot, layer, role)) in parted.together.iter().enumerate() {
            if at > 0 && !memory::has_room() {
                parted.alone.extend(&parted.together[at..]);
                self.warn(None, NO_MEMORY)?;
                break;
            }
            let slot = Slot { block: block.number, slot, layer, role, attempt: 1 };
            seats.extend(self.seat(block, slot)?);
        }
        self.watch(seats)?;
        for seat in std::mem::take(seats) {
            if self.history.alone.contains(&seat.slot.layer) {
                parted.alone.push((seat.slot.slot, seat.slot.layer, seat.slot.role));
                self.leave(seat, &[])?;
            } else {
                seats.push(seat);
            }
        }
        Ok(())
    }

    /// Boots a layer, once more when it fails.
    fn seat(&mut self, block: &Block, mut slot: Slot) -> Result<Option<Seat>, Stop> {
        loop {
            match self.sit(slot, &[], &block.samples)? {
                Ok(mut seat) => {
                    if self.history.restless.contains(&slot.layer) {
                        seat.session.stop_while_waiting();
                    }
                    return Ok(Some(seat));
                }
                Err(failure) => self.failed(&slot, &failure, None)?,
            }
            if slot.attempt == 2 {
                return Ok(None);
            }
            slot.attempt = 2;
        }
    }

    /// Looks, once a layer, whether it is quiet while it waits. One that is not is stopped meanwhile from now on; where
    /// that cannot be done, it is measured alone.
    fn watch(&mut self, seats: &mut [Seat]) -> Result<(), RunError> {
        let fresh = |seat: &Seat| !self.history.watched.contains(&seat.slot.layer);
        let fresh: Vec<usize> = (0..seats.len()).filter(|&at| fresh(&seats[at])).collect();
        let found = idle::watch(&fresh.iter().map(|&at| &seats[at].session).collect::<Vec<_>>());
        for (at, share) in fresh.into_iter().zip(found) {
            let layer = seats[at].slot.layer;
            self.history.watched.insert(layer);
            if let Some(why) = self.pauses(layer).filter(|_| self.plan.order == Order::Rounds) {
                let text = format!(
                    "takes a whole series of each benchmark after the others' turns, and its intervals are wider: {why}"
                );
                self.warn(Some(layer), &text)?;
            }
            if share <= idle::QUIET || layer == self.baseline() {
                continue;
            }
            let what = if seats[at].session.stop_while_waiting() {
                self.history.restless.insert(layer);
                "it is stopped (SIGSTOP) while they measure"
            } else {
                self.history.alone.insert(layer);
                "it is measured alone, after them, and its intervals are wider"
            };
            let percent = 100.0 * share;
            let text = format!(
                "takes {percent:.1}% of a CPU while it waits, which would weigh on the other layers: {what}"
            );
            self.warn(Some(layer), &text)?;
        }
        Ok(())
    }

    /// Every benchmark of the block, on all that is seated. A layer that dies is booted again and goes on; the row that
    /// it died in is taken again by all, last, since it may be to blame.
    fn all_rows(
        &mut self,
        block: &Block,
        seats: &mut Vec<Seat>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let lacks = |run: &Self, seats: &[Seat], bench| {
            seats.iter().any(|seat| run.lacks(block, seat.slot.layer, seat.slot.role, bench))
        };
        let mut rows: VecDeque<usize> = self.rows(block).into();
        rows.retain(|&bench| lacks(self, seats, bench));
        let mut suspects: HashMap<(usize, Role), usize> = HashMap::new();
        let (mut number, all) = (0, rows.len());
        while let Some(bench) = rows.pop_front() {
            if !seats.iter().any(|seat| seat.slot.layer == self.baseline()) {
                return Ok(()); // there is nothing left to divide by
            }
            number = (number + 1).min(all);
            let name = &self.benches[bench].name;
            self.observer.event(Event::Turns { name, number, of: all, layers: seats.len() });
            if let Err((at, error)) = self.row(block, seats, bench)? {
                let seat = seats.remove(at);
                let slot = seat.slot;
                let failure = self.give_way(seat, error, Some(bench))?;
                let suspect = suspects.insert((slot.layer, slot.role), bench);
                self.failed(&slot, &failure, suspect)?;
                if slot.attempt == 1 {
                    seats.extend(self.seat(block, Slot { attempt: 2, ..slot })?);
                }
                if lacks(self, seats, bench) {
                    rows.push_back(bench);
                }
            }
            self.progress(block, budget, number, all);
        }
        Ok(())
    }
}

/// Why layers are measured alone on a small machine.
const NO_MEMORY: &str = "there is too little memory for all layers at once: some are measured alone, after the others, and \
                         their intervals are wider";
