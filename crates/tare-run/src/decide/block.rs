//! One block: which boots it holds, in which order, and with how many samples a series.

use super::allocation::Wanted;
use super::budget::Budget;
use super::forecast::predicted;
use super::order::{block_order, shuffled};
use super::samples::{self, Samples};
use crate::plan::one_cpu;
use crate::plan::sandbox_benches::is_row;
use crate::plan::setup::Setup;
use crate::plan::slot::Slot;
use crate::record::history::History;
use crate::record::observer::Event;
use crate::record::recorder::Recorder;
use std::time::{Duration, Instant};
use tare_proto::BenchInfo;
use tare_store::{Order, Role};

/// What a block measures, decided before its first boot.
pub(crate) struct Block {
    /// Counted from 0 over all runs of the campaign.
    pub number: u32,
    /// Benchmarks by layer.
    pub wanted: Wanted,
    /// The benchmarks that booted layers are asked for, in the block's order.
    pub rows: Vec<usize>,
    /// Samples of a series, by benchmark: one number for all layers.
    pub samples: Samples,
    /// Rounds, by benchmark, where layers take turns.
    pub rounds: Samples,
    /// By layer: the benchmarks that it measures once more on one CPU.
    one_cpu: Wanted,
    /// When it should end, where time is what is given.
    pub until: Option<Instant>,
}

impl Block {
    /// Block `number`, which measures what is `wanted`.
    pub(crate) fn plan(
        setup: &Setup,
        history: &History,
        number: u32,
        wanted: Wanted,
        budget: &Budget,
    ) -> Block {
        let mut samples = Samples::new();
        let mut rounds = Samples::new();
        match (setup.plan.blocks, setup.plan.order) {
            (Some(_), _) => {}
            (None, Order::Rounds) => {
                rounds = samples::rounds(history, &wanted, setup);
                rounds.extend(history.runs.clone());
                samples.clone_from(&history.runs);
            }
            (None, _) => samples = samples::samples(history, &wanted, &setup.benches),
        }
        let share = budget.share(history.whole()).map(Duration::from_secs_f64);
        let until = share.map(|share| Instant::now() + share);
        let all: Vec<usize> = (0..setup.benches.len()).collect();
        // Odd rounds of the seed order benchmarks, even ones boots.
        let mut rows = shuffled(setup.plan.seed, 2 * u64::from(number) + 1, all);
        rows.retain(|&bench| !is_row(&setup.benches[bench]));
        let on_one = |(layer, benches): (&usize, &Vec<usize>)| {
            (*layer, one_cpu::rows(setup, *layer, benches))
        };
        let one_cpu = wanted.iter().map(on_one).filter(|(_, rows)| !rows.is_empty()).collect();
        Block { number, wanted, rows, samples, rounds, one_cpu, until }
    }

    /// The block's boots in order. Layers that are left out do not change the others' order.
    pub(crate) fn slots(&self, setup: &Setup) -> Vec<Slot> {
        let order = block_order(setup.plan.seed, self.number, &setup.able(), setup.baseline());
        let on_one = self.one_cpu.keys().map(|layer| (*layer, Role::OneCpu));
        let wanted = order.into_iter().filter(|(layer, _)| self.wanted.contains_key(layer));
        let wanted = wanted.chain(on_one);
        let slot =
            |(place, (layer, role))| Slot { block: self.number, place, layer, role, attempt: 1 };
        (0..).zip(wanted).map(slot).collect()
    }

    /// What is wanted of `layer`.
    pub(crate) fn wanted_of(&self, layer: usize) -> &[usize] {
        self.wanted.get(&layer).map_or(&[], Vec::as_slice)
    }

    /// Whether a benchmark is wanted of `layer` that `is_one`.
    pub(crate) fn wants(
        &self,
        setup: &Setup,
        layer: usize,
        is_one: impl Fn(&BenchInfo) -> bool,
    ) -> bool {
        self.wanted_of(layer).iter().any(|&bench| is_one(&setup.benches[bench]))
    }

    /// Whether a boot is to measure `bench` and has not yet.
    pub(crate) fn lacks(&self, history: &History, slot: &Slot, bench: usize) -> bool {
        let wanted = match slot.role {
            Role::OneCpu => self.one_cpu.get(&slot.layer).map_or(&[][..], Vec::as_slice),
            Role::Weigh | Role::Floor => self.wanted_of(slot.layer),
        };
        wanted.contains(&bench) && !history.series.contains_key(&slot.key(bench))
    }

    /// The benchmarks that a boot still lacks, in the block's order. The one that ended the boot before comes last, so that
    /// everything else is measured first.
    pub(crate) fn lacking(
        &self,
        history: &History,
        slot: &Slot,
        suspect: Option<usize>,
    ) -> Vec<usize> {
        let rows = self.rows.iter().copied();
        let mut lacking: Vec<usize> =
            rows.filter(|&bench| self.lacks(history, slot, bench)).collect();
        lacking.sort_by_key(|bench| Some(*bench) == suspect); // stable
        lacking
    }

    /// Says how far the campaign has come when `done` of `of` equal parts of the block are done.
    pub(crate) fn progress(
        &self,
        recorder: &mut Recorder,
        budget: &Budget,
        done: usize,
        of: usize,
    ) {
        let predicted = predicted(recorder.setup, &recorder.history, &self.wanted);
        let (done, left) = budget.progress(recorder.history.whole(), done, of, predicted);
        recorder.observer.event(Event::Progress { done, left });
    }
}
