//! The visits of a block: which rows they fill, in which order their steps are taken, and what is recorded.

use super::start::Starter;
use super::steps::{Step, TURNS, said, steps};
use super::visit::{Interrupted, Visit};
use crate::block::Block;
use crate::budget::Budget;
use crate::observe::Event;
use crate::order::{draw, shuffled};
use crate::runner::{CampaignLayer, RunError, Runner, Stop};
use crate::sandbox_benches::{SERIES_MS, TASK, WARM, is_row};
use crate::slot::Slot;
use std::time::Duration;
use tare_proto::BenchInfo;
use tare_store::{CUT_OFF, Role};

impl Runner<'_> {
    /// Visits the layers of `slots`, which have the machine to themselves by then. `done` of `of` equal parts of the block are done
    /// before.
    pub(crate) fn visits(
        &mut self,
        block: &Block,
        slots: &[(u32, usize, Role)],
        budget: &Budget,
        (done, of): (usize, usize),
    ) -> Result<(), Stop> {
        let mut visits = Vec::new();
        for &(slot, layer, role) in slots {
            let slot = Slot { block: block.number, slot, layer, role, attempt: 1 };
            let (name, now) = (self.layers[layer].name.clone(), crate::now());
            let boot = self.store.begin_boot(block.number, slot.slot, &name, role, 1, &now)?;
            visits.push(Visit::new(slot, boot));
        }
        let ended = self.all_steps(block, &mut visits, budget, (done, of));
        let interrupted = matches!(ended, Err(Stop::Interrupted));
        for visit in visits {
            self.end_visit(block, visit, interrupted)?;
        }
        ended
    }

    fn all_steps(
        &mut self,
        block: &Block,
        visits: &mut [Visit],
        budget: &Budget,
        (done, of): (usize, usize),
    ) -> Result<(), Stop> {
        let wanted: Vec<&BenchInfo> =
            block.wanted.values().flatten().map(|&at| &self.benches[at]).collect();
        let steps = steps(&wanted);
        for (at, &step) in steps.iter().enumerate() {
            let order = draw(self.plan.seed, u64::from(block.number) << 32 | at as u64 | 1 << 62);
            for place in shuffled(order, 0, (0..visits.len()).collect()) {
                let visit = &mut visits[place];
                if self.wants(block, visit.slot.layer, step) {
                    self.step(visit, step, (at + 1, steps.len()))?;
                }
            }
            let part = (visits.len() * (at + 1)) / steps.len();
            self.progress(block, budget, done + part, of);
        }
        Ok(())
    }

    /// Whether one of the rows that `step` fills is wanted of `layer` in this block.
    fn wants(&self, block: &Block, layer: usize, step: Step) -> bool {
        let wanted = block.wanted.get(&layer).into_iter().flatten();
        steps(&wanted.map(|&at| &self.benches[at]).collect::<Vec<_>>()).contains(&step)
    }

    fn step(
        &mut self,
        visit: &mut Visit,
        step: Step,
        (number, of): (usize, usize),
    ) -> Result<(), Stop> {
        let layer = visit.slot.layer;
        let CampaignLayer { name, layer: kind, .. } = &self.layers[layer];
        self.observer.event(Event::Visit { layer: name, step: &said(step), number, of });
        let row = if step == Step::Task { TASK } else { WARM };
        let time = self
            .benches
            .iter()
            .find(|bench| bench.name == row)
            .map_or(SERIES_MS, |bench| bench.series_ms);
        let starter = Starter {
            layer: &**kind,
            host: self.host,
            keeper: self.keeper,
            cpus: &self.plan.cpus,
            within: Duration::from_secs_f64(self.plan.boot_s),
            interrupted: self.interrupted,
        };
        let history = &mut self.history;
        let within = Duration::from_millis(time) / TURNS;
        let told = (within, self.plan.neighbours.as_ref());
        let done = visit.step(step, &starter, told, &mut || history.count_boot(layer));
        done.map_err(|Interrupted| Stop::Interrupted)
    }

    /// Records what a visit found, and its end.
    fn end_visit(
        &mut self,
        block: &Block,
        mut visit: Visit,
        interrupted: bool,
    ) -> Result<(), RunError> {
        let (slot, boot, seconds) = (visit.slot, visit.boot, visit.seconds);
        for left in std::mem::take(&mut visit.left) {
            self.warn(Some(slot.layer), &format!("not removed: {left}"))?;
        }
        if interrupted {
            return Ok(self.store.end_boot(boot, seconds, Some((CUT_OFF, "")))?);
        }
        let benches = 0..self.benches.len();
        let rows: Vec<usize> = benches
            .filter(|&at| is_row(&self.benches[at]) && self.lacks(block, slot.layer, slot.role, at))
            .collect();
        let found: Vec<_> =
            rows.into_iter().map(|at| (at, visit.recorded(&self.benches[at].name))).collect();
        self.store
            .at_once(|store| found.iter().try_for_each(|(_, one)| store.record(boot, one)))?;
        for (bench, recorded) in &found {
            self.note(&slot, *bench, recorded)?;
        }
        self.history.note_visit(slot.layer, seconds);
        let failure = visit.failure().map(str::to_owned);
        self.store.end_boot(boot, seconds, failure.as_deref().map(|why| (why, "")))?;
        match failure {
            Some(why) => {
                let name = &self.layers[slot.layer].name;
                self.observer.event(Event::BootFailed { layer: name, why: &why, again: false });
                if !visit.started() && self.history.did_not_boot(slot.layer, slot.block) {
                    let text = "did not start in two blocks running, and is left out from there on";
                    self.warn(Some(slot.layer), text)?;
                }
            }
            None => self.history.booted(slot.layer),
        }
        Ok(())
    }
}
