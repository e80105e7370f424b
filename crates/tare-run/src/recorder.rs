//! What a block still lacks, and what is recorded of it: series, and failures with what is to blame for them.

use crate::block::Block;
use crate::booted::{Booted, Failure};
use crate::observe::Event;
use crate::order::shuffled;
use crate::runner::{RunError, Runner, Stop};
use crate::sandbox_benches::is_row;
use crate::slot::Slot;
use tare_layers::SessionError;
use tare_store::{Outcome, Recorded, Role};

impl Runner<'_> {
    /// Records what came of a benchmark, in the store and in the history.
    pub(crate) fn record(
        &mut self,
        booted: &Booted,
        bench: usize,
        recorded: &Recorded,
    ) -> Result<(), RunError> {
        self.store.record(booted.boot, recorded)?;
        self.note(&booted.slot, bench, recorded)
    }

    /// Notes what is recorded.
    pub(crate) fn note(
        &mut self,
        slot: &Slot,
        bench: usize,
        recorded: &Recorded,
    ) -> Result<(), RunError> {
        let key = (slot.block, slot.layer, slot.role, bench);
        self.history.note(key, &self.benches[bench], recorded);
        self.remark(slot.layer, bench, &recorded.series.note)
    }

    /// A boot has ended early. After a second failure in a block, what is to blame is not tried again: the `suspect`, which
    /// is the benchmark that was being measured both times, or else the layer.
    pub(crate) fn failed(
        &mut self,
        slot: &Slot,
        failure: &Failure,
        suspect: Option<usize>,
    ) -> Result<(), Stop> {
        if matches!(failure.error, SessionError::Interrupted) {
            return Err(Stop::Interrupted);
        }
        let why = failure.error.to_string();
        let (name, again) = (&self.layers[slot.layer].name, slot.attempt == 1);
        self.observer.event(Event::BootFailed { layer: name, why: &why, again });
        if again {
            return Ok(());
        }
        let Some(bench) = failure.during else {
            if self.history.did_not_boot(slot.layer, slot.block) {
                let text = "did not boot in two blocks running, and is left out from there on";
                self.warn(Some(slot.layer), text)?;
            }
            return Ok(());
        };
        if suspect == Some(bench) {
            for bench in self.of_one_run(bench) {
                let recorded =
                    Recorded::without_samples(&self.benches[bench].name, Outcome::Failed, &why);
                self.store.record(failure.boot, &recorded)?;
                self.note(slot, bench, &recorded)?;
                self.history.fatal.insert((slot.layer, bench));
            }
        }
        Ok(())
    }

    /// The benchmarks that a slot still lacks, in the block's order. The one that ended the boot before comes last, so that
    /// everything else is measured first.
    pub(crate) fn lacking(
        &self,
        block: &Block,
        layer: usize,
        role: Role,
        suspect: Option<usize>,
    ) -> Vec<usize> {
        let mut lacking: Vec<usize> = self.rows(block);
        lacking.retain(|bench| self.lacks(block, layer, role, *bench));
        lacking.sort_by_key(|bench| Some(*bench) == suspect); // stable
        lacking
    }

    /// The benchmarks that booted layers are asked for, in the block's order.
    pub(crate) fn rows(&self, block: &Block) -> Vec<usize> {
        let all: Vec<usize> = (0..self.benches.len()).collect();
        let mut rows = shuffled(self.plan.seed, 2 * u64::from(block.number) + 1, all);
        rows.retain(|&bench| !is_row(&self.benches[bench]));
        rows
    }

    /// Whether a boot is to measure `bench` and has not yet.
    pub(crate) fn lacks(&self, block: &Block, layer: usize, role: Role, bench: usize) -> bool {
        let wanted = block.wanted.get(&layer).is_some_and(|wanted| wanted.contains(&bench));
        wanted && !self.history.series.contains_key(&(block.number, layer, role, bench))
    }
}
