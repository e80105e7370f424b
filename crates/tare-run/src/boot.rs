//! The boot of one layer by itself: it is started, asked for every benchmark and ended, with one retry.

use crate::block::Block;
use crate::booted::Failure;
use crate::observe::Event;
use crate::runner::{RunError, Runner, Stop};
use crate::slot::Slot;
use tare_store::Role;

impl Runner<'_> {
    /// One layer's boot in a block, with one retry; benchmarks that are recorded are not repeated.
    pub(crate) fn boot_alone(
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
            let Err(failure) = self.boot_once(block, slot, &benches)? else { return Ok(()) };
            self.failed(&slot, &failure, suspect)?;
            suspect = failure.during;
        }
        Ok(())
    }

    /// Boots once and measures `benches`. The outer error ends the campaign, the inner one only this boot.
    fn boot_once(
        &mut self,
        block: &Block,
        slot: Slot,
        benches: &[usize],
    ) -> Result<Result<(), Failure>, RunError> {
        let mut booted = match self.start_boot(slot, benches, &block.samples)? {
            Ok(booted) => booted,
            Err(failure) => return Ok(Err(failure)),
        };
        for (index, &bench) in benches.iter().enumerate() {
            let (number, of) = (index + 1, benches.len());
            if !self.lacks(block, slot.layer, slot.role, bench) {
                continue; // another row of the same program has filled it
            }
            self.observer.event(Event::Benchmark { name: &self.benches[bench].name, number, of });
            match self.measure(&mut booted, bench, &block.samples) {
                Ok(recorded) => {
                    for (bench, recorded) in self.filled(bench, recorded) {
                        if self.lacks(block, slot.layer, slot.role, bench) {
                            self.record(&booted, bench, &recorded)?;
                        }
                    }
                }
                Err(error) => return Ok(Err(self.abandon_boot(booted, error, Some(bench))?)),
            }
        }
        self.end_boot(booted, benches)?;
        Ok(Ok(()))
    }
}
