//! One layer in one block: a boot, one retry, and what is to blame when both fail.

use crate::block::Block;
use crate::boot::Failure;
use crate::campaign::{Runner, Stop};
use crate::observe::Event;
use crate::order::shuffled;
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
            let (samples, block) = (&block.samples, block.number);
            let slot = Slot { block, slot, layer, role, attempt, benches: &benches, samples };
            let outcome = self.boot(&slot)?;
            let Err(failure) = outcome else {
                self.history.booted(layer);
                return Ok(());
            };
            if matches!(failure.error, SessionError::Interrupted) {
                return Err(Stop::Interrupted);
            }
            let why = failure.error.to_string();
            let (name, again) = (&self.layers[layer].name, attempt == 1);
            self.observer.event(Event::BootFailed { layer: name, why: &why, again });
            if attempt == 2 {
                self.give_up(&slot, &failure, suspect)?;
            }
            suspect = failure.during;
        }
        Ok(())
    }

    /// After the second failure in a block: what is to blame is not tried again and again.
    fn give_up(
        &mut self,
        slot: &Slot,
        failure: &Failure,
        suspect: Option<usize>,
    ) -> Result<(), Stop> {
        let Some(bench) = failure.during else {
            if self.history.did_not_boot(slot.layer, slot.block) {
                let text = "did not boot in two blocks running, and is left out from there on";
                self.warn(Some(slot.layer), text)?;
            }
            return Ok(());
        };
        if suspect == Some(bench) {
            let (name, why) = (&self.benches[bench].name, failure.error.to_string());
            let recorded = Recorded::without_samples(name, Outcome::Failed, &why);
            self.record(failure.boot, slot, bench, &recorded)?;
            self.history.fatal.insert((slot.layer, bench));
        }
        Ok(())
    }

    /// The benchmarks that a slot still lacks, in the block's order; what ended the boot before comes
    /// last, so that everything else is measured first.
    fn lacking(
        &self,
        block: &Block,
        layer: usize,
        role: Role,
        suspect: Option<usize>,
    ) -> Vec<usize> {
        let all = (0..self.benches.len()).collect();
        let order = shuffled(self.plan.seed, 2 * u64::from(block.number) + 1, all);
        let wanted = &block.wanted[&layer];
        let recorded =
            |bench: usize| self.history.series.contains_key(&(block.number, layer, role, bench));
        let mut lacking: Vec<usize> =
            order.into_iter().filter(|bench| wanted.contains(bench) && !recorded(*bench)).collect();
        lacking.sort_by_key(|bench| Some(*bench) == suspect); // stable
        lacking
    }
}
