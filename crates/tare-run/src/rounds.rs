//! A block whose layers are alive together: they take turns, benchmark by benchmark.

use crate::block::{Block, Parted};
use crate::booted::Booted;
use crate::budget::Budget;
use crate::history::Key;
use crate::idle;
use crate::memory;
use crate::observe::Event;
use crate::runner::{RunError, Runner, Stop};
use crate::slot::Slot;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
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
        let mut boots = Vec::new();
        let ended = self.boot_all(block, parted, &mut boots);
        let ended = ended.and_then(|()| self.all_rows(block, &mut boots, &alone(parted), budget));
        let interrupted = matches!(ended, Err(Stop::Interrupted));
        for booted in boots {
            if interrupted {
                self.abandon_boot(booted, SessionError::Interrupted, None)?;
            } else {
                self.end_boot(booted, &[])?;
            }
        }
        ended
    }

    /// Boots the layers one after the other; those that are up wait.
    fn boot_all(
        &mut self,
        block: &Block,
        parted: &mut Parted,
        boots: &mut Vec<Booted>,
    ) -> Result<(), Stop> {
        for (at, &(slot, layer, role)) in parted.together.iter().enumerate() {
            if at > 0 && !memory::has_room() {
                parted.alone.extend(&parted.together[at..]);
                self.warn(None, NO_MEMORY)?;
                break;
            }
            let slot = Slot { block: block.number, slot, layer, role, attempt: 1 };
            boots.extend(self.boot_twice(block, slot)?);
        }
        self.watch(boots)?;
        for booted in std::mem::take(boots) {
            if self.history.alone.contains(&booted.slot.layer) {
                parted.alone.push((booted.slot.slot, booted.slot.layer, booted.slot.role));
                self.end_boot(booted, &[])?;
            } else {
                boots.push(booted);
            }
        }
        Ok(())
    }

    /// Boots a layer, once more when it fails.
    fn boot_twice(&mut self, block: &Block, mut slot: Slot) -> Result<Option<Booted>, Stop> {
        loop {
            match self.start_boot(slot, &[], &block.samples)? {
                Ok(mut booted) => {
                    if self.history.paused.contains(&slot.layer) {
                        booted.session.stop_while_waiting();
                    }
                    return Ok(Some(booted));
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
    fn watch(&mut self, boots: &mut [Booted]) -> Result<(), RunError> {
        let fresh = |booted: &Booted| !self.history.watched.contains(&booted.slot.layer);
        let fresh: Vec<usize> = (0..boots.len()).filter(|&at| fresh(&boots[at])).collect();
        let found = idle::watch(&fresh.iter().map(|&at| &boots[at].session).collect::<Vec<_>>());
        for (at, share) in fresh.into_iter().zip(found) {
            let layer = boots[at].slot.layer;
            self.history.watched.insert(layer);
            if let Some(why) = self.pauses(layer).filter(|_| self.plan.order == Order::Rounds) {
                let text = format!(
                    "takes a whole series of each benchmark after the others' turns, {} takes one more, and its intervals are wider: {why}",
                    self.plan.baseline
                );
                self.warn(Some(layer), &text)?;
            }
            if share <= idle::QUIET || layer == self.baseline() {
                continue;
            }
            let what = if boots[at].session.stop_while_waiting() {
                self.history.paused.insert(layer);
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

    /// Every benchmark of the block, on all that is booted. A layer that dies is booted again and goes on; the row that
    /// it died in is taken again by all, last, since it may be to blame.
    fn all_rows(
        &mut self,
        block: &Block,
        boots: &mut Vec<Booted>,
        alone: &[usize],
        budget: &Budget,
    ) -> Result<(), Stop> {
        let lacks = |run: &Self, boots: &[Booted], bench| {
            boots.iter().any(|booted| run.lacks(block, booted.slot.layer, booted.slot.role, bench))
        };
        let mut rows: VecDeque<usize> = self.rows(block).into();
        rows.retain(|&bench| lacks(self, boots, bench));
        let mut suspects: HashMap<(usize, Role), usize> = HashMap::new();
        let (mut number, all) = (0, rows.len());
        while let Some(bench) = rows.pop_front() {
            if !boots.iter().any(|booted| booted.slot.layer == self.baseline()) {
                return Ok(()); // there is nothing left to divide by
            }
            number = (number + 1).min(all);
            let (within, late) = time_for(block, rows.len() + 1);
            let asked = boots.iter().any(|booted| self.is_asked(&booted.slot, bench));
            if late && asked && self.may_leave_out(block, bench) {
                continue;
            }
            let name = &self.benches[bench].name;
            self.observer.event(Event::Turns { name, number, of: all, layers: boots.len() });
            if let Err((at, error)) = self.row(block, boots, bench, (alone, within))? {
                let booted = boots.remove(at);
                let slot = booted.slot;
                let failure = self.abandon_boot(booted, error, Some(bench))?;
                let suspect = suspects.insert((slot.layer, slot.role), bench);
                self.failed(&slot, &failure, suspect)?;
                if slot.attempt == 1 {
                    boots.extend(self.boot_twice(block, Slot { attempt: 2, ..slot })?);
                }
                if lacks(self, boots, bench) {
                    rows.push_back(bench);
                }
            }
            self.progress(block, budget, number, all);
        }
        Ok(self.say_left_out()?)
    }

    /// Leaves `bench` out of the first block of a run, and of those that follow, if another was measured.
    fn may_leave_out(&mut self, block: &Block, bench: usize) -> bool {
        let measured = |key: &Key| key.0 == block.number && !self.is_of_boot(key.3);
        let may = self.plan.sweep.is_none()
            && self.history.whole() == 0
            && self.history.series.keys().any(measured);
        if may {
            self.history.left_out.insert(bench);
        }
        may
    }
}

/// How long the next of so many `rows` may take, and whether the block should have ended.
fn time_for(block: &Block, rows: usize) -> (Option<Duration>, bool) {
    let left = block.until.map(|until| until.saturating_duration_since(Instant::now()));
    // Most rows take less than an equal part, so that one may take more.
    (left.map(|left| 2 * left / rows as u32), left == Some(Duration::ZERO))
}

/// The layers that are measured after the others.
fn alone(parted: &Parted) -> Vec<usize> {
    parted.alone.iter().map(|(_, layer, _)| *layer).collect()
}

/// Why layers are measured alone on a small machine.
const NO_MEMORY: &str = "there is too little memory for all layers at once: some are measured alone, after the others, and \
                         their intervals are wider";
