//! A block whose layers are alive together: they take turns, benchmark by benchmark.

use super::booting::Booted;
use super::idle;
use super::row::{Dead, Wanted, measure_row};
use crate::decide::block::Block;
use crate::decide::budget::Budget;
use crate::decide::forecast::warn_of_left_out;
use crate::host::memory;
use crate::plan::slot::{Key, Slot};
use crate::record::observer::Event;
use crate::record::recorder::{Ended, Recorder, RunError, Stop};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use tare_layers::SessionError;
use tare_store::{Order, Role};

/// Why layers are measured alone on a small machine.
const NO_MEMORY: &str = "there is too little memory for all layers at once: some are measured alone, after the others, and \
                         their intervals are wider";

/// The boots of a block that are alive together, and those that have the machine to themselves after them.
pub(crate) struct Together {
    boots: Vec<Booted>,
    alone: Vec<Slot>,
}

impl Together {
    /// None is up yet; `alone` are boots that are made after the others anyway.
    pub(crate) fn new(alone: Vec<Slot>) -> Together {
        Together { boots: Vec::new(), alone }
    }

    /// Measures `slots` in turns. The boots that are left to be made alone, those among them that turned out to need it.
    pub(crate) fn run(
        mut self,
        recorder: &mut Recorder,
        block: &Block,
        slots: &[Slot],
        budget: &Budget,
    ) -> Result<Vec<Slot>, Stop> {
        let ended = self.boot_all(recorder, block, slots);
        let ended = ended.and_then(|()| self.all_rows(recorder, block, budget));
        for booted in self.boots {
            if matches!(ended, Err(Stop::Interrupted)) {
                booted.abandon(recorder, SessionError::Interrupted, None)?;
            } else {
                booted.end(recorder, &[])?;
            }
        }
        ended.map(|()| self.alone)
    }

    /// Boots the layers one after the other; those that are up wait.
    fn boot_all(
        &mut self,
        recorder: &mut Recorder,
        block: &Block,
        slots: &[Slot],
    ) -> Result<(), Stop> {
        for (at, &slot) in slots.iter().enumerate() {
            if at > 0 && !memory::has_room() {
                self.alone.extend(&slots[at..]);
                recorder.warn(None, NO_MEMORY)?;
                break;
            }
            self.boots.extend(boot_twice(recorder, block, slot)?);
        }
        watch(recorder, &mut self.boots)?;
        for booted in std::mem::take(&mut self.boots) {
            if recorder.history.alone.contains(&booted.slot.layer) {
                self.alone.push(Slot { attempt: 1, ..booted.slot });
                booted.end(recorder, &[])?;
            } else {
                self.boots.push(booted);
            }
        }
        Ok(())
    }

    /// Every benchmark of the block, on all that is booted. A layer that dies is booted again and goes on; the row that
    /// it died in is taken again by all, last, since it may be to blame.
    fn all_rows(
        &mut self,
        recorder: &mut Recorder,
        block: &Block,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let setup = recorder.setup;
        let mut rows: VecDeque<usize> = block.rows.iter().copied().collect();
        rows.retain(|&bench| self.lacks(recorder, block, bench));
        let mut suspects: HashMap<(usize, Role), usize> = HashMap::new();
        let all = rows.len();
        let mut number = 0;
        while let Some(bench) = rows.pop_front() {
            if !self.boots.iter().any(|booted| booted.slot.layer == setup.baseline()) {
                return Ok(()); // there is nothing left to divide by
            }
            number = (number + 1).min(all);
            let left = block.until.map(|until| until.saturating_duration_since(Instant::now()));
            let late = left == Some(Duration::ZERO);
            let asked = |booted: &Booted| recorder.is_asked(booted.slot.layer, bench);
            if late && self.boots.iter().any(asked) && leave_out(recorder, block, bench) {
                continue;
            }
            let name = &setup.benches[bench].name;
            let layers = self.boots.len();
            recorder.observer.event(Event::Turns { name, number, of: all, layers });
            // Most rows take less than an equal part, so that one may take more.
            let within = left.map(|left| 2 * left / (rows.len() as u32 + 1));
            let wanted = Wanted { block, bench, alone: &self.alone, within };
            match measure_row(recorder, &mut self.boots, &wanted) {
                Ok(()) => {}
                Err(Ended::Campaign(error)) => return Err(error.into()),
                Err(Ended::Failed(Dead { at, error })) => {
                    let booted = self.boots.remove(at);
                    let slot = booted.slot;
                    let failure = booted.abandon(recorder, error, Some(bench))?;
                    let suspect = suspects.insert((slot.layer, slot.role), bench);
                    recorder.failed(&slot, &failure, suspect)?;
                    if slot.attempt == 1 {
                        let again = Slot { attempt: 2, ..slot };
                        self.boots.extend(boot_twice(recorder, block, again)?);
                    }
                    if self.lacks(recorder, block, bench) {
                        rows.push_back(bench);
                    }
                }
            }
            block.progress(recorder, budget, number, all);
        }
        Ok(warn_of_left_out(recorder)?)
    }

    /// Whether one of the boots still has to measure `bench`.
    fn lacks(&self, recorder: &Recorder, block: &Block, bench: usize) -> bool {
        self.boots.iter().any(|booted| block.lacks(&recorder.history, &booted.slot, bench))
    }
}

/// Boots a layer, once more when it fails.
fn boot_twice(
    recorder: &mut Recorder,
    block: &Block,
    mut slot: Slot,
) -> Result<Option<Booted>, Stop> {
    loop {
        match Booted::start(recorder, slot, &[], &block.samples) {
            Ok(mut booted) => {
                if recorder.history.paused.contains(&slot.layer) {
                    booted.session.stop_while_waiting();
                }
                return Ok(Some(booted));
            }
            Err(Ended::Campaign(error)) => return Err(error.into()),
            Err(Ended::Failed(failure)) => recorder.failed(&slot, &failure, None)?,
        }
        if slot.attempt == 2 {
            return Ok(None);
        }
        slot.attempt = 2;
    }
}

/// Looks, once a layer, whether it is quiet while it waits. One that is not is stopped meanwhile from now on; where
/// that cannot be done, it is measured alone.
fn watch(recorder: &mut Recorder, boots: &mut [Booted]) -> Result<(), RunError> {
    let setup = recorder.setup;
    let fresh = |at: &usize| !recorder.history.watched.contains(&boots[*at].slot.layer);
    let fresh: Vec<usize> = (0..boots.len()).filter(fresh).collect();
    let shares = idle::watch(&fresh.iter().map(|&at| &boots[at].session).collect::<Vec<_>>());
    for (at, share) in fresh.into_iter().zip(shares) {
        let layer = boots[at].slot.layer;
        // A layer that is booted once more on one CPU is told of once.
        let is_first = recorder.history.watched.insert(layer);
        let in_rounds = setup.plan.order == Order::Rounds;
        let mut rows = (0..setup.benches.len()).filter(|&bench| !setup.is_of_host(bench));
        let whole = rows.find_map(|bench| boots[at].whole_series(setup, bench));
        if let Some(why) = whole.filter(|_| in_rounds && is_first) {
            let text = format!(
                "takes a whole series of each benchmark after the others' turns, and so does {}; the intervals are wider: {why}",
                setup.plan.baseline.raw()
            );
            recorder.warn(Some(layer), &text)?;
        }
        if share <= idle::QUIET || layer == setup.baseline() {
            continue;
        }
        let what = if boots[at].session.stop_while_waiting() {
            recorder.history.paused.insert(layer);
            "it is stopped (SIGSTOP) while they measure"
        } else {
            recorder.history.alone.insert(layer);
            "it is measured alone, after them, and its intervals are wider"
        };
        let percent = 100.0 * share;
        let text = format!(
            "takes {percent:.1}% of a CPU while it waits, which would slow the other layers: {what}"
        );
        if is_first {
            recorder.warn(Some(layer), &text)?;
        }
    }
    Ok(())
}

/// Leaves `bench` out of the first block of a run, and of those that follow, if another was measured.
fn leave_out(recorder: &mut Recorder, block: &Block, bench: usize) -> bool {
    let setup = recorder.setup;
    let measured = |key: &Key| key.block == block.number && !setup.is_of_host(key.bench);
    let may = setup.plan.sweep.is_none()
        && recorder.history.whole() == 0
        && recorder.history.series.keys().any(measured);
    if may {
        recorder.history.left_out.insert(bench);
    }
    may
}
