//! One block: which boots it holds, in which order, and with how many samples a series.

use crate::allocate::{self, Samples, Wanted};
use crate::budget::Budget;
use crate::campaign::{Runner, Stop};
use crate::observe::Event;
use crate::order::block_order;
use tare_store::Role;

/// What a block measures, decided before its first boot.
pub(crate) struct Block {
    /// Counted from 0 over all runs of the campaign.
    pub number: u32,
    /// Benchmarks by layer.
    pub wanted: Wanted,
    /// Samples of a series, by benchmark: one number for all layers.
    pub samples: Samples,
}

impl Runner<'_> {
    /// Block `number`, which measures what is `wanted`.
    pub(crate) fn plan_block(&self, number: u32, wanted: Wanted) -> Block {
        let samples = match self.plan.blocks {
            Some(_) => Samples::new(),
            None => allocate::samples(&self.history, &wanted, &self.benches),
        };
        Block { number, wanted, samples }
    }

    /// Makes every boot of `block`.
    pub(crate) fn block(&mut self, block: &Block, budget: &Budget) -> Result<(), Stop> {
        let slots = self.slots(block);
        let (number, boots) = (block.number + 1, slots.len());
        let (begun, done) = (block.number, self.history.whole());
        let of = begun - done + budget.expected_blocks(done, self.predicted(&block.wanted));
        self.observer.event(Event::Block { number, of: of.max(number), boots });
        for (slot, (layer, role)) in slots.iter().enumerate() {
            self.weigh(block, slot as u32, *layer, *role)?;
            let predicted = self.predicted(&block.wanted);
            let (done, left) = budget.progress(done, slot + 1, boots, predicted);
            self.observer.event(Event::Progress { done, left });
        }
        Ok(())
    }

    /// The boots of a block in order. Layers that are left out do not change the others' order.
    fn slots(&self, block: &Block) -> Vec<(usize, Role)> {
        let can_run = |&layer: &usize| self.layers[layer].trial_s.is_some();
        let all: Vec<usize> = (0..self.layers.len()).filter(can_run).collect();
        let order = block_order(self.plan.seed, block.number, &all, self.baseline());
        order.into_iter().filter(|(layer, _)| block.wanted.contains_key(layer)).collect()
    }
}
