//! From series to one value per block, layer, role and benchmark.

use crate::format::quantity;
use crate::note::has_own_clock;
use crate::sandbox::SANDBOX;
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Better, Turn};
use tare_stats::{Best, Estimator, StatError, rounds_log_ratio};
use tare_store::{BootState, Campaign, Outcome, Role, SeriesRow};

/// What a block has of one benchmark on one layer in one role.
pub(crate) enum BlockResult<'a> {
    /// A value, and the series that it is reduced from.
    Value(f64, &'a SeriesRow),
    /// Samples that cannot be reduced, and why.
    Rejected(String),
    /// No samples, and why.
    Absent(Outcome, Option<&'a str>),
}

/// Block, layer, role, benchmark.
type Key = (u32, usize, Role, usize);

/// One value per block, layer, role and benchmark of a campaign.
pub(crate) struct Values<'a> {
    found: BTreeMap<Key, BlockResult<'a>>,
    /// By block and layer: whether one of its boots failed.
    booted: BTreeMap<(u32, usize), bool>,
    /// The blocks with at least one boot, in order.
    pub(crate) blocks: Vec<u32>,
    /// By benchmark: which end is good.
    best: Vec<Best>,
    /// By benchmark: the host measured it.
    pub(crate) by_host: Vec<bool>,
    /// Figures that another tool took, by layer.
    imported: Vec<bool>,
    /// By layer: its probe reads a clock that can differ from the host's.
    pub(crate) own_clock: Vec<bool>,
    pub(crate) baseline: Option<usize>,
}

impl<'a> Values<'a> {
    /// Reduces every series that counts: the first boot of its block, layer and role that measured it, whether or
    /// not that boot failed later (a retry only measures what is missing).
    pub(crate) fn new(campaign: &'a Campaign, estimator: Option<Estimator>) -> Values<'a> {
        let mut found = BTreeMap::new();
        for series in &campaign.series {
            let Some(boot) = campaign.boots.get(series.boot) else { continue };
            let Some(bench) = campaign.benchmarks.get(series.benchmark) else { continue };
            let key = (boot.block, boot.layer, boot.role, series.benchmark);
            let known = found.get(&key);
            if known.is_some_and(|known| !matches!(known, BlockResult::Absent(..))) {
                continue;
            }
            found.insert(key, reduce(series, bench, estimator));
        }
        let mut booted: BTreeMap<(u32, usize), bool> = BTreeMap::new();
        for boot in &campaign.boots {
            *booted.entry((boot.block, boot.layer)).or_default() |= boot.state == BootState::Failed;
        }
        let mut blocks: Vec<u32> = booted.keys().map(|(block, _)| *block).collect();
        blocks.dedup();
        let imported = campaign.layers.iter().map(|l| l.kind == tare_store::IMPORTED).collect();
        let (by_host, baseline) = (by_host(campaign), campaign.baseline());
        let layers = 0..campaign.layers.len();
        let own_clock = layers.map(|layer| has_own_clock(campaign, layer)).collect();
        let best = campaign.benchmarks.iter().map(|bench| best(bench.better)).collect();
        Values { found, booted, blocks, best, by_host, imported, own_clock, baseline }
    }

    /// What there is of `benchmark` on `layer` in `block`.
    pub(crate) fn at(
        &self,
        block: u32,
        layer: usize,
        role: Role,
        benchmark: usize,
    ) -> Option<&BlockResult<'a>> {
        self.found.get(&(block, layer, role, benchmark))
    }

    /// The one value of `layer` in `block`. The baseline is booted twice a block: its value is the geometric mean
    /// of both boots, which is less noisy than either, or the one there is.
    pub(crate) fn value(&self, block: u32, layer: usize, benchmark: usize) -> Option<f64> {
        self.of_block(block, layer, benchmark, |value, _| value)
    }

    /// The log ratio of `layer` to the baseline in `block`: what a ratio and its interval are made of.
    pub(crate) fn log_ratio(
        &self,
        block: u32,
        layer: usize,
        benchmark: usize,
        operation: Operation,
    ) -> Option<f64> {
        let best = self.best[benchmark];
        let of =
            |layer, role| Measured::of(self.at(block, layer, role, benchmark)?, best, operation);
        let base = [Role::Weigh, Role::Floor].map(|role| of(self.baseline?, role));
        block_log_ratio(&of(layer, Role::Weigh)?, base.each_ref().map(Option::as_ref))
    }

    /// The same of every block that the campaign has.
    pub(crate) fn log_ratios(
        &self,
        layer: usize,
        benchmark: usize,
        operation: Operation,
    ) -> Vec<Option<f64>> {
        let blocks = self.blocks.iter();
        blocks.map(|&block| self.log_ratio(block, layer, benchmark, operation)).collect()
    }

    /// The log ratio of the baseline's second boot in `block` to its first.
    pub(crate) fn floor_log(&self, block: u32, benchmark: usize) -> Option<f64> {
        let best = self.best[benchmark];
        let of = |role| {
            let found = self.at(block, self.baseline?, role, benchmark)?;
            Measured::of(found, best, Operation::Corrected)
        };
        Some(log_ratio(&of(Role::Floor)?, &of(Role::Weigh)?))
    }

    fn of_block(
        &self,
        block: u32,
        layer: usize,
        benchmark: usize,
        figure: impl Fn(f64, &SeriesRow) -> f64,
    ) -> Option<f64> {
        let boot = |role| match self.at(block, layer, role, benchmark) {
            Some(BlockResult::Value(value, series)) => Some(figure(*value, series)),
            _ => None,
        };
        let weighed = boot(Role::Weigh);
        if Some(layer) != self.baseline {
            return weighed;
        }
        of_both(weighed, boot(Role::Floor))
    }

    /// The same of the whole operation: without subtracting the cost of what surrounds it.
    pub(crate) fn whole(&self, block: u32, layer: usize, benchmark: usize) -> Option<f64> {
        self.of_block(block, layer, benchmark, |value, series| value + series.subtracted)
    }

    /// All that there is of `benchmark` on `layer`, in every block and role.
    pub(crate) fn all(
        &self,
        layer: usize,
        benchmark: usize,
    ) -> impl Iterator<Item = &BlockResult<'a>> {
        let roles =
            self.blocks.iter().flat_map(|block| [(*block, Role::Weigh), (*block, Role::Floor)]);
        roles.filter_map(move |(block, role)| self.at(block, layer, role, benchmark))
    }

    /// Whether another tool took the figures of `layer`.
    pub(crate) fn imported(&self, layer: usize) -> bool {
        self.imported.get(layer) == Some(&true)
    }

    /// Whether `layer` should have `benchmark` in `block`: it has it, or a boot failed that may have lost it. A block of a
    /// time budget holds only what was still uncertain before it.
    pub(crate) fn is_expected(&self, block: u32, layer: usize, benchmark: usize) -> bool {
        let has = |layer| self.at(block, layer, Role::Weigh, benchmark).is_some();
        let lost = || self.booted.get(&(block, layer)) == Some(&true);
        has(layer) || (lost() && (0..self.imported.len()).any(has))
    }
}

/// The benchmarks that the host measured: the suite `sandbox`, and those whose series carry neither clock, and no other tool took.
fn by_host(campaign: &Campaign) -> Vec<bool> {
    let mut clocks: Vec<Option<bool>> = vec![None; campaign.benchmarks.len()];
    for row in campaign.series.iter().filter(|row| row.outcome == Outcome::Measured) {
        let Some(clock) = clocks.get_mut(row.benchmark) else { continue };
        let boot = campaign.boots.get(row.boot);
        let layer = boot.and_then(|boot| campaign.layers.get(boot.layer));
        let other = layer.is_some_and(|layer| layer.kind == tare_store::IMPORTED);
        *clock = Some(*clock == Some(true) || row.host_ns > 0 || row.probe_ns > 0 || other);
    }
    let rows = clocks.iter().zip(&campaign.benchmarks);
    rows.map(|(clock, bench)| *clock == Some(false) || bench.suite == SANDBOX).collect()
}

/// The value of a series: its samples reduced by `estimator`, or by the benchmark's own, and corrected for what was
/// measured beside them. The one way from a series to a block's value.
///
/// # Errors
/// Samples that are no times, rates or sizes, or an estimator that nobody knows.
pub fn series_value(
    bench: &BenchInfo,
    samples: &[f64],
    subtracted: f64,
    estimator: Option<Estimator>,
) -> Result<f64, StatError> {
    let estimator = estimator.map_or_else(|| bench.estimator.parse(), Ok)?;
    estimator.reduce_corrected(samples, subtracted, best(bench.better))
}

/// The baseline's value in a block, which boots it twice: the geometric mean of both boots, or the one there is.
pub fn of_both(first: Option<f64>, second: Option<f64>) -> Option<f64> {
    match (first, second) {
        (Some(a), Some(b)) => Some(a.sqrt() * b.sqrt()),
        (one, other) => one.or(other),
    }
}

/// What of an operation is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Itself: what was measured beside it is subtracted.
    Corrected,
    /// With all that surrounds it.
    Whole,
}

/// What a ratio needs to know of one side of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The series' value ([`series_value`]).
    pub value: f64,
    /// The values of its turns ([`turn_values`]); empty when all samples were taken at once.
    pub turns: Vec<f64>,
}

impl Measured {
    fn of(found: &BlockResult, best: Best, operation: Operation) -> Option<Measured> {
        let BlockResult::Value(value, row) = found else { return None };
        let added = if operation == Operation::Whole { row.subtracted } else { 0.0 };
        let turns = turn_values(&row.samples, row.subtracted, &row.turns, best, operation);
        Some(Measured { value: value + added, turns })
    }
}

/// The value of each turn: its best sample, since noise only adds, corrected by what was measured in the same turn; NaN
/// where nothing is left.
pub fn turn_values(
    samples: &[f64],
    subtracted: f64,
    turns: &[Turn],
    best: Best,
    operation: Operation,
) -> Vec<f64> {
    let mut rest = samples;
    let better: fn(f64, f64) -> f64 = match best {
        Best::Lowest => f64::min,
        Best::Highest => f64::max,
    };
    let value = |turn: &Turn| {
        let (own, others) = rest.split_at((turn.samples as usize).min(rest.len()));
        rest = others;
        let whole = own.iter().copied().fold(f64::NAN, better) + subtracted;
        let value = match operation {
            Operation::Corrected => whole - turn.subtracted,
            Operation::Whole => whole,
        };
        if value > 0.0 { value } else { f64::NAN }
    };
    turns.iter().map(value).collect()
}

/// The log ratio of one side to the other: from their rounds where both took turns, otherwise of their values.
pub fn log_ratio(layer: &Measured, base: &Measured) -> f64 {
    let by_rounds = rounds_log_ratio(&layer.turns, &base.turns);
    by_rounds.unwrap_or_else(|| (layer.value / base.value).ln())
}

/// The log ratio of a layer to the baseline in a block, which boots it twice: the mean of those to either boot, or the
/// one there is. Each is taken by itself, so that a layer that is the baseline has the expectation zero under any noise.
pub fn block_log_ratio(layer: &Measured, base: [Option<&Measured>; 2]) -> Option<f64> {
    let logs: Vec<f64> = base.into_iter().flatten().map(|base| log_ratio(layer, base)).collect();
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

/// Which end is good, in `tare-stats`' words.
pub const fn best(better: Better) -> Best {
    match better {
        Better::Lower => Best::Lowest,
        Better::Higher => Best::Highest,
    }
}

fn reduce<'a>(
    series: &'a SeriesRow,
    bench: &BenchInfo,
    estimator: Option<Estimator>,
) -> BlockResult<'a> {
    if series.outcome != Outcome::Measured {
        return BlockResult::Absent(series.outcome, series.why.as_deref());
    }
    match series_value(bench, &series.samples, series.subtracted, estimator) {
        Ok(value) => BlockResult::Value(value, series),
        Err(StatError::NothingLeft) => BlockResult::Rejected(format!(
            "the subtracted cost of what surrounds the operation ({}) exceeded the measurement",
            quantity(bench.unit, series.subtracted)
        )),
        Err(error) => BlockResult::Rejected(error.to_string()),
    }
}
