//! The boot of one layer by itself: it is started, asked for every benchmark and ended, with one retry. If the retry fails,
//! too, this file decides what is to blame.

use crate::block::Block;
use crate::campaign::{RunError, Runner, Stop};
use crate::observe::Event;
use crate::order::shuffled;
use crate::sandbox_benches::is_row;
use crate::seat::{Failure, Seat};
use crate::slot::Slot;
use tare_layers::SessionError;
use tare_store::{Outcome, Recorded, Role};

impl Runner<'_> {
    /// One layer's boot in a block, with one retry; benchmarks that are recorded are not repeated.
    pub(crate) fn weigh(
        &mut self,
        block: &Block,
        slot: u32,
        layer: usize,
        role: Role,
    ) -> Result<(), Stop> {
        let mut suspect: Option<usize> = None;
        for attempt in 1..=2 {
            let benches = self.lacking(block, layer, role, suspect);
            if benches.is_empty() {
                return Ok(());
            }
            let slot = Slot { block: block.number, slot, layer, role, attempt };
            let Err(failure) = self.boot(block, slot, &benches)? else { return Ok(()) };
            self.failed(&slot, &failure, suspect)?;
            suspect = failure.during;
        }
        Ok(())
    }

    /// Boots once and measures `benches`. The outer error ends the campaign, the inner one only this boot.
    fn boot(
        &mut self,
        block: &Block,
        slot: Slot,
        benches: &[usize],
    ) -> Result<Result<(), Failure>, RunError> {
        let mut seat = match self.sit(slot, benches, &block.samples)? {
            Ok(seat) => seat,
            Err(failure) => return Ok(Err(failure)),
        };
        for (index, &bench) in benches.iter().enumerate() {
            let (number, of) = (index + 1, benches.len());
            if !self.lacks(block, slot.layer, slot.role, bench) {
                continue; // another row of the same program has filled it
            }
            self.observer.event(Event::Benchmark { name: &self.benches[bench].name, number, of });
            match self.measure(&mut seat, bench, &block.samples) {
                Ok(recorded) => {
                    for (bench, recorded) in self.filled(bench, recorded) {
                        if self.lacks(block, slot.layer, slot.role, bench) {
                            self.record(&seat, bench, &recorded)?;
                        }
                    }
                }
                Err(error) => return Ok(Err(self.give_way(seat, error, Some(bench))?)),
            }
        }
        self.leave(seat, benches)?;
        Ok(Ok(()))
    }

    /// Records what came of a benchmark, in the store and in the history.
    fn record(&mut self, seat: &Seat, bench: usize, recorded: &Recorded) -> Result<(), RunError> {
        self.store.record(seat.boot, recorded)?;
        self.note(&seat.slot, bench, recorded)
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
    fn lacking(
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
