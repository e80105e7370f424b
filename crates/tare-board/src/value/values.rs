//! From series to one value per block, layer, role and benchmark.

use crate::format::quantity;
use crate::remarks::note::has_own_clock;
use crate::value::holes::{by_host, selected};
use crate::value::measured::{Figure, best, of_both, series_value, waited_too_long};
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Untrusted};
use tare_stats::{Best, Estimator, StatError};
use tare_store::{BootState, Campaign, Outcome, Role, SeriesRow};

/// What a block has of one benchmark on one layer in one role.
pub(crate) enum BlockResult<'a> {
    /// A value, and the series that it is reduced from.
    Value(f64, &'a SeriesRow),
    /// Samples that cannot be reduced, and why.
    Rejected(Untrusted),
    /// No samples, and why.
    Absent(Outcome, Option<Untrusted>),
}

/// Block, layer, role, benchmark.
type Key = (u32, usize, Role, usize);

/// One value per block, layer, role and benchmark of a campaign.
pub(crate) struct Values<'a> {
    found: BTreeMap<Key, BlockResult<'a>>,
    /// The baseline's series that were taken once more, all samples at once.
    pub(crate) again: BTreeMap<Key, BlockResult<'a>>,
    /// By block and layer: whether one of its boots failed.
    booted: BTreeMap<(u32, usize), bool>,
    /// The blocks with at least one boot, in order.
    pub(crate) blocks: Vec<u32>,
    /// By benchmark: which end is good.
    pub(crate) best: Vec<Best>,
    /// By benchmark: the host measured it.
    pub(crate) by_host: Vec<bool>,
    /// Figures that another tool took, by layer.
    imported: Vec<bool>,
    /// By layer: its probe reads a clock that can differ from the host's.
    pub(crate) own_clock: Vec<bool>,
    pub(crate) baseline: Option<usize>,
    /// What the values of turns stand for.
    pub(crate) figure: Figure,
}

impl<'a> Values<'a> {
    /// Reduces every series that counts: the first boot of its block, layer and role that measured it, whether or
    /// not that boot failed later (a retry only measures what is missing).
    pub(crate) fn new(campaign: &'a Campaign, estimator: Option<Estimator>) -> Values<'a> {
        let most_waited = campaign.plan.most_waited();
        let mut found = BTreeMap::new();
        let selected = selected(campaign);
        for series in &campaign.series {
            let Some(boot) = campaign.boots.get(series.boot) else { continue };
            let Some(bench) = campaign.benchmarks.get(series.benchmark) else { continue };
            let key = (boot.block, boot.layer, boot.role, series.benchmark);
            let known = found.get(&key);
            if known.is_some_and(|known| !matches!(known, BlockResult::Absent(..))) {
                continue;
            }
            let withheld = selected.get(&(boot.layer, series.benchmark));
            found.insert(
                key,
                match withheld {
                    Some(why) => BlockResult::Rejected(why.clone()),
                    None => reduce(series, bench, estimator, most_waited),
                },
            );
        }
        let mut again = BTreeMap::new();
        for series in &campaign.whole_series {
            let Some(boot) = campaign.boots.get(series.boot) else { continue };
            let Some(bench) = campaign.benchmarks.get(series.benchmark) else { continue };
            let key = (boot.block, boot.layer, boot.role, series.benchmark);
            again.entry(key).or_insert_with(|| reduce(series, bench, estimator, most_waited));
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
        let figure = figure(estimator);
        Values {
            found,
            again,
            booted,
            blocks,
            best,
            by_host,
            imported,
            own_clock,
            baseline,
            figure,
        }
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

/// What the values of turns stand for where series are reduced by `estimator`.
pub(crate) fn figure(estimator: Option<Estimator>) -> Figure {
    match estimator {
        Some(Estimator::Mean) => Figure::Mean,
        Some(Estimator::Median) => Figure::Median,
        Some(Estimator::Percentile { .. }) => Figure::Whole,
        _ => Figure::Best,
    }
}

fn reduce<'a>(
    series: &'a SeriesRow,
    bench: &BenchInfo,
    estimator: Option<Estimator>,
    most_waited: f64,
) -> BlockResult<'a> {
    if series.outcome != Outcome::Measured {
        return BlockResult::Absent(series.outcome, series.why.clone());
    }
    if let Some(waited) = waited_too_long(&series.counters, most_waited) {
        let percent = 100.0 * waited;
        let why =
            format!("the machine was busy: for {percent:.0}% of the time it waited for a CPU");
        return BlockResult::Rejected(why.into());
    }
    match series_value(bench, &series.samples, series.subtracted, estimator) {
        Ok(value) => BlockResult::Value(value, series),
        Err(StatError::NothingLeft) => BlockResult::Rejected(
            format!(
                "the subtracted cost of what surrounds the operation ({}) exceeded the measurement",
                quantity(bench.unit, series.subtracted)
            )
            .into(),
        ),
        Err(error) => BlockResult::Rejected(error.to_string().into()),
    }
}
