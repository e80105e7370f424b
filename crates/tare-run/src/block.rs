//! One block: which boots it holds, in which order, and with how many samples a series.

use crate::allocate::Wanted;
use crate::budget::Budget;
use crate::observe::Event;
use crate::order::block_order;
use crate::runner::Runner;
use crate::samples::{self, Samples};
use std::time::{Duration, Instant};
use tare_proto::BenchInfo;
use tare_store::{Order, Role};

/// What a block measures, decided before its first boot.
pub(crate) struct Block {
    /// Counted from 0 over all runs of the campaign.
    pub number: u32,
    /// Benchmarks by layer.
    pub wanted: Wanted,
    /// Samples of a series, by benchmark: one number for all layers.
    pub samples: Samples,
    /// Rounds, by benchmark, where layers take turns.
    pub rounds: Samples,
    /// When it should end, where time is what is given.
    pub until: Option<Instant>,
}

/// Boots of a block that are made together, and those that have the machine to themselves, each with its place in the
/// block's order.
#[derive(Default)]
pub(crate) struct Parted {
    pub together: Vec<(u32, usize, Role)>,
    pub alone: Vec<(u32, usize, Role)>,
}

impl Runner<'_> {
    /// Block `number`, which measures what is `wanted`.
    pub(crate) fn plan_block(&self, number: u32, wanted: Wanted, budget: &Budget) -> Block {
        let (mut samples, mut rounds) = (Samples::new(), Samples::new());
        match (self.plan.blocks, self.plan.order) {
            (Some(_), _) => {}
            (None, Order::Rounds) => {
                rounds = samples::rounds(&self.history, &wanted, self.baseline());
            }
            (None, _) => samples = samples::samples(&self.history, &wanted, &self.benches),
        }
        let share = budget.share(self.history.whole()).map(Duration::from_secs_f64);
        let until = share.map(|share| Instant::now() + share);
        Block { number, wanted, samples, rounds, until }
    }

    /// The slots, each with its place in the block's order, of which a benchmark is wanted that `is_one`.
    pub(crate) fn wanting(
        &self,
        block: &Block,
        slots: &[(usize, Role)],
        is_one: fn(&BenchInfo) -> bool,
    ) -> Vec<(u32, usize, Role)> {
        let wants = |layer: &usize| {
            let wanted = block.wanted.get(layer).into_iter().flatten();
            wanted.map(|&bench| &self.benches[bench]).any(is_one)
        };
        let numbered = (0..).zip(slots).map(|(place, &(layer, role))| (place, layer, role));
        numbered.filter(|(_, layer, _)| wants(layer)).collect()
    }

    /// Says how far the campaign has come when `done` of `of` equal parts of the block are done.
    pub(crate) fn progress(&mut self, block: &Block, budget: &Budget, done: usize, of: usize) {
        let predicted = self.predicted(&block.wanted);
        let (done, left) = budget.progress(self.history.whole(), done, of, predicted);
        self.observer.event(Event::Progress { done, left });
    }

    /// The boots that are made together, and those that have the machine to themselves: a layer that is told everything
    /// before it starts takes no turns.
    pub(crate) fn part(&self, slots: Vec<(u32, usize, Role)>) -> Parted {
        let mut parted = Parted::default();
        for (place, layer, role) in slots {
            let scripted = self.layers[layer].layer.scripted();
            let alone = scripted || self.history.alone.contains(&layer);
            if self.plan.order == Order::Boots || alone {
                parted.alone.push((place, layer, role));
            } else {
                parted.together.push((place, layer, role));
            }
        }
        parted
    }

    /// The boots of a block in order. Layers that are left out do not change the others' order.
    pub(crate) fn slots(&self, block: &Block) -> Vec<(usize, Role)> {
        let can_run = |&layer: &usize| self.layers[layer].trial_s.is_some();
        let all: Vec<usize> = (0..self.layers.len()).filter(can_run).collect();
        let order = block_order(self.plan.seed, block.number, &all, self.baseline());
        order.into_iter().filter(|(layer, _)| block.wanted.contains_key(layer)).collect()
    }
}
