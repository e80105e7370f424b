//! What has happened in a campaign so far, in earlier runs or in this one: which series were recorded, their values, and their
//! costs.

use crate::plan::slot::{Key, Slot};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tare_board::measured::{
    Figure, Measured, Operation, best, block_log_ratio, log_ratio, series_value, turn_values,
    waited_too_long,
};
use tare_proto::{BenchInfo, Counter, Turn};
use tare_store::{Boot, BootState, Campaign, Outcome, Recorded, Role};

/// A layer that failed to boot in this many blocks in a row is not booted any more.
const GIVE_UP: usize = 2;

/// What is kept of a recorded series.
#[derive(Default)]
pub(crate) struct Kept {
    /// Its value and turns, as the scoreboard has them; `None` when it has no usable samples.
    pub measured: Option<Measured>,
    /// Logarithms of its samples.
    pub logs: Vec<f64>,
    /// What was subtracted from its value.
    pub subtracted: f64,
    /// How many there are, whether they are usable or not.
    pub samples: usize,
    /// What it cost, in seconds.
    pub seconds: f64,
}

/// What has happened so far.
#[derive(Default)]
pub struct History {
    pub(crate) series: HashMap<Key, Kept>,
    /// What the baseline measured once more, all samples at once.
    pub(crate) again: HashMap<Key, Option<Measured>>,
    /// Benchmarks that ended a layer twice, by layer.
    pub(crate) fatal: HashSet<(usize, usize)>,
    /// Benchmarks for which this run's budget has no time.
    pub(crate) left_out: BTreeSet<usize>,
    /// Runs of each program in a boot of the next block, where the budget decides that.
    pub(crate) runs: BTreeMap<usize, u32>,
    /// Of how many of them a warning has told.
    pub(crate) left_out_said: usize,
    /// Layers that have been watched while they waited; those of them that are stopped meanwhile, and those that have to
    /// be measured alone.
    pub(crate) watched: HashSet<usize>,
    pub(crate) paused: HashSet<usize>,
    pub(crate) alone: HashSet<usize>,
    /// Boots of each layer.
    boots: HashMap<usize, u32>,
    /// The time in seconds that boots of each layer took without the measurements, and their number.
    overhead: HashMap<usize, (f64, u32)>,
    /// The same of visits, in which layers are started and nothing is asked of them.
    visits: HashMap<usize, (f64, u32)>,
    /// For each layer, the number of consecutive blocks in which it failed to boot.
    dead: HashMap<usize, BTreeSet<u32>>,
    /// Blocks that were begun, and blocks that were completed.
    begun: u32,
    whole: u32,
    /// Seconds that earlier runs used.
    pub(crate) used: f64,
}

impl History {
    /// What `campaign` holds.
    pub fn of(campaign: &Campaign) -> History {
        let mut history = History::default();
        let most_waited = campaign.plan.most_waited();
        let mut measuring = vec![0.0; campaign.boots.len()];
        for row in &campaign.series {
            let boot = &campaign.boots[row.boot];
            let seconds = row.seconds();
            measuring[row.boot] += seconds;
            let bench = &campaign.benchmarks[row.benchmark];
            let taken =
                Taken { samples: &row.samples, subtracted: row.subtracted, turns: &row.turns };
            let counts = counts(row.outcome, &row.counters, most_waited);
            let kept = keep(bench, counts, taken, seconds);
            // What was blamed for the second end of a boot has that end for its reason.
            if row.outcome == Outcome::Failed && row.why.is_some() && row.why == boot.failure {
                history.fatal.insert((boot.layer, row.benchmark));
            }
            history.series.insert(key(boot, row.benchmark), kept);
        }
        for row in &campaign.whole_series {
            let boot = &campaign.boots[row.boot];
            measuring[row.boot] += row.seconds();
            let taken = Taken { samples: &row.samples, subtracted: row.subtracted, turns: &[] };
            let counts = counts(row.outcome, &row.counters, most_waited);
            let kept = keep(&campaign.benchmarks[row.benchmark], counts, taken, row.seconds());
            history.note_kept(key(boot, row.benchmark), kept);
        }
        for (boot, measuring) in campaign.boots.iter().zip(measuring) {
            let seconds = boot.seconds.unwrap_or(measuring);
            history.count_boot(boot.layer);
            match boot.hello.is_none() && boot.state == BootState::Done {
                true => history.note_visit(boot.layer, seconds),
                false => history.note_overhead(boot.layer, seconds - measuring),
            }
            history.used += seconds;
            history.note_boot(boot);
        }
        history.begun = campaign.boots.iter().map(|boot| boot.block + 1).max().unwrap_or(0);
        history.whole = history.begun.saturating_sub(campaign.open_blocks.len() as u32);
        history
    }

    /// Notes whether a recorded boot came up. A layer that repeatedly does not is given up.
    fn note_boot(&mut self, boot: &Boot) {
        let last = boot.state == BootState::Failed && boot.attempt == 2 && !boot.cut_off();
        match boot.state {
            BootState::Done => self.booted(boot.layer),
            _ if last && boot.hello.is_none() => {
                self.did_not_boot(boot.layer, boot.block);
            }
            _ => {}
        }
    }

    /// A layer was measured to the end of a boot.
    pub(crate) fn booted(&mut self, layer: usize) {
        self.dead.remove(&layer);
    }

    /// Notes that a layer failed to boot twice in `block`. Returns whether it is given up.
    pub(crate) fn did_not_boot(&mut self, layer: usize, block: u32) -> bool {
        let blocks = self.dead.entry(layer).or_default();
        blocks.insert(block) && blocks.len() == GIVE_UP
    }

    /// Whether a layer is not booted any more.
    pub(crate) fn is_given_up(&self, layer: usize) -> bool {
        self.dead.get(&layer).is_some_and(|blocks| blocks.len() >= GIVE_UP)
    }

    /// Blocks that have been begun, by any run: the number of the next.
    pub(crate) fn begun(&self) -> u32 {
        self.begun
    }

    /// The number of completed blocks, which is what a plan counts.
    pub fn whole(&self) -> u32 {
        self.whole
    }

    /// `block` begins.
    pub(crate) fn begin_block(&mut self, block: u32) {
        self.begun = block + 1;
    }

    /// Notes that the block that was begun last is complete.
    pub(crate) fn end_block(&mut self) {
        self.whole += 1;
    }

    /// Notes a series that has just been recorded.
    pub(crate) fn note(
        &mut self,
        key: Key,
        bench: &BenchInfo,
        recorded: &Recorded,
        most_waited: f64,
    ) {
        let tare_proto::Series { samples, subtracted, turns, .. } = &recorded.series;
        let taken = Taken { samples, subtracted: *subtracted, turns };
        let counts = counts(recorded.outcome, &recorded.series.counters, most_waited);
        self.series.insert(key, keep(bench, counts, taken, recorded.seconds()));
    }

    /// The series of a boot are no longer recorded.
    pub(crate) fn forget(&mut self, slot: &Slot) {
        self.series.retain(|key, _| *key != slot.key(key.bench));
    }

    /// Notes a series of the baseline's that has just been recorded, taken once more, all samples at once.
    pub(crate) fn note_whole(
        &mut self,
        key: Key,
        bench: &BenchInfo,
        recorded: &Recorded,
        most_waited: f64,
    ) {
        let tare_proto::Series { samples, subtracted, .. } = &recorded.series;
        let taken = Taken { samples, subtracted: *subtracted, turns: &[] };
        let counts = counts(recorded.outcome, &recorded.series.counters, most_waited);
        self.note_kept(key, keep(bench, counts, taken, recorded.seconds()));
    }

    /// What it cost counts as the cost of the row.
    fn note_kept(&mut self, key: Key, whole: Kept) {
        if let Some(usual) = self.series.get_mut(&key) {
            usual.seconds += whole.seconds;
        }
        self.again.insert(key, whole.measured);
    }

    /// Notes what a boot cost apart from the measurements.
    pub(crate) fn note_overhead(&mut self, layer: usize, seconds: f64) {
        let (sum, count) = self.overhead.entry(layer).or_default();
        *sum += seconds.max(0.0);
        *count += 1;
    }

    /// Notes what a visit took.
    pub(crate) fn note_visit(&mut self, layer: usize, seconds: f64) {
        let (sum, count) = self.visits.entry(layer).or_default();
        *sum += seconds;
        *count += 1;
    }

    /// The mean time in seconds of a visit to `layer`. `None` before the first.
    pub(crate) fn visit_seconds(&self, layer: usize) -> Option<f64> {
        self.visits.get(&layer).map(|(sum, count)| sum / f64::from(*count))
    }

    /// Counts a boot of `layer`: its number, from 0.
    pub(crate) fn count_boot(&mut self, layer: usize) -> u32 {
        let count = self.boots.entry(layer).or_default();
        *count += 1;
        *count - 1
    }

    /// The mean time in seconds of a boot of `layer` without the measurements. `None` before the first.
    pub(crate) fn overhead(&self, layer: usize) -> Option<f64> {
        self.overhead.get(&layer).map(|(sum, count)| sum / f64::from(*count))
    }

    /// Mean seconds of a series of `bench` on `layer`; `None` before the first.
    pub(crate) fn series_seconds(&self, layer: usize, bench: usize) -> Option<f64> {
        let of_row = |(key, _): &(&Key, &Kept)| key.layer == layer && key.bench == bench;
        let costs: Vec<f64> =
            self.series.iter().filter(of_row).map(|(_, kept)| kept.seconds).collect();
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    }

    /// Mean seconds of a sample of `bench` on `layer`, or of one of the `warmup` ones before them; `None` before the first.
    pub(crate) fn sample_seconds(&self, layer: usize, bench: usize, warmup: u32) -> Option<f64> {
        let of_row = |(key, _): &(&Key, &Kept)| key.layer == layer && key.bench == bench;
        let taken = self.series.iter().filter(of_row).map(|(_, kept)| kept);
        let taken = taken.filter(|kept| kept.samples > 0);
        let (seconds, samples) = taken.fold((0.0, 0.0), |(seconds, samples), kept| {
            (seconds + kept.seconds, samples + f64::from(warmup) + kept.samples as f64)
        });
        (samples > 0.0).then(|| seconds / samples)
    }

    /// What the baseline's boots are in `block` that `layer` is divided by: its whole series, if `layer` took one.
    pub(crate) fn bases(
        &self,
        block: u32,
        layer: usize,
        baseline: usize,
        bench: usize,
    ) -> [Option<&Measured>; 2] {
        let roles = [Role::Weigh, Role::Floor];
        let own = self.measured(block, layer, Role::Weigh, bench);
        let at_once = layer != baseline && own.is_some_and(|own| own.turns.is_empty());
        let whole = |role| self.again.get(&Key { block, layer: baseline, role, bench })?.as_ref();
        let whole = roles.map(|role| whole(role).filter(|_| at_once));
        if whole.iter().any(Option::is_some) {
            return whole;
        }
        roles.map(|role| self.measured(block, baseline, role, bench))
    }

    /// The log ratio of `layer` to the baseline in each block that has both; the baseline's own is that of its second boot to its
    /// first.
    pub(crate) fn log_ratios(&self, layer: usize, baseline: usize, bench: usize) -> Vec<f64> {
        let log = |block| {
            let base = self.bases(block, layer, baseline, bench);
            if layer == baseline {
                Some(log_ratio(base[1]?, base[0]?))
            } else {
                block_log_ratio(self.measured(block, layer, Role::Weigh, bench)?, base)
            }
        };
        (0..self.begun).filter_map(log).collect()
    }

    /// Whether most of what was measured of `bench` on `layer` was subtracted in a block: no mean counts such a row.
    pub(crate) fn is_mostly_subtracted(&self, layer: usize, bench: usize) -> bool {
        let is_most = |(key, kept): (&Key, &Kept)| {
            let value = kept.measured.as_ref().map_or(f64::INFINITY, |measured| measured.value);
            key.layer == layer && key.bench == bench && kept.subtracted > value
        };
        self.series.iter().any(is_most)
    }

    /// What `bench` is on `layer` in `block`.
    pub(crate) fn measured(
        &self,
        block: u32,
        layer: usize,
        role: Role,
        bench: usize,
    ) -> Option<&Measured> {
        self.series.get(&Key { block, layer, role, bench })?.measured.as_ref()
    }
}

fn key(boot: &Boot, bench: usize) -> Key {
    Key { block: boot.block, layer: boot.layer, role: boot.role, bench }
}

/// The samples of a series, and how they were taken.
struct Taken<'a> {
    samples: &'a [f64],
    subtracted: f64,
    turns: &'a [Turn],
}

/// Whether the scoreboard will have a value of a series.
fn counts(outcome: Outcome, counters: &[Counter], most_waited: f64) -> bool {
    outcome == Outcome::Measured && waited_too_long(counters, most_waited).is_none()
}

fn keep(bench: &BenchInfo, counts: bool, taken: Taken, seconds: f64) -> Kept {
    let Taken { samples, subtracted, turns } = taken;
    let value = series_value(bench, samples, subtracted, None).ok().filter(|_| counts);
    let figure = Figure::Best;
    let best = best(bench.better);
    let turns = || turn_values(samples, subtracted, turns, best, Operation::Corrected, figure);
    let measured = value.map(|value| Measured { value, turns: turns(), figure });
    let logs: Vec<f64> = samples.iter().filter(|s| **s > 0.0).map(|s| s.ln()).collect();
    let logs = if measured.is_some() && logs.len() == samples.len() { logs } else { Vec::new() };
    Kept { measured, logs, subtracted, samples: samples.len(), seconds }
}
