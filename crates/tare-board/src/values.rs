//! From series to one value per block, layer, role and benchmark.

use crate::format::quantity;
use crate::note::has_own_clock;
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Better};
use tare_stats::{Best, Estimator, StatError};
use tare_store::{Campaign, Outcome, Role, SeriesRow};

/// What a block has of one benchmark on one layer in one role.
pub(crate) enum Found<'a> {
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
    found: BTreeMap<Key, Found<'a>>,
    booted: BTreeMap<(u32, usize), ()>,
    /// The blocks with at least one boot, in order.
    pub(crate) blocks: Vec<u32>,
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
            if known.is_some_and(|known| !matches!(known, Found::Absent(..))) {
                continue;
            }
            found.insert(key, reduce(series, bench, estimator));
        }
        let booted: BTreeMap<_, _> =
            campaign.boots.iter().map(|b| ((b.block, b.layer), ())).collect();
        let mut blocks: Vec<u32> = booted.keys().map(|(block, _)| *block).collect();
        blocks.dedup();
        let imported = campaign.layers.iter().map(|l| l.kind == tare_store::IMPORTED).collect();
        let (by_host, baseline) = (by_host(campaign), campaign.baseline());
        let own_clock =
            (0..campaign.layers.len()).map(|layer| has_own_clock(campaign, layer)).collect();
        Values { found, booted, blocks, by_host, imported, own_clock, baseline }
    }

    /// What there is of `benchmark` on `layer` in `block`.
    pub(crate) fn at(
        &self,
        block: u32,
        layer: usize,
        role: Role,
        benchmark: usize,
    ) -> Option<&Found<'a>> {
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
            Some(Found::Value(value, series)) => Some(figure(*value, series)),
            _ => None,
        };
        let weighed = boot(Role::Weigh);
        if Some(layer) != self.baseline {
            return weighed;
        }
        of_both(weighed, boot(Role::Floor))
    }

    /// The same of the whole operation: with what was measured beside it and subtracted.
    pub(crate) fn whole(&self, block: u32, layer: usize, benchmark: usize) -> Option<f64> {
        self.of_block(block, layer, benchmark, |value, series| value + series.subtracted)
    }

    /// All that there is of `benchmark` on `layer`, in every block and role.
    pub(crate) fn all(&self, layer: usize, benchmark: usize) -> impl Iterator<Item = &Found<'a>> {
        let roles =
            self.blocks.iter().flat_map(|block| [(*block, Role::Weigh), (*block, Role::Floor)]);
        roles.filter_map(move |(block, role)| self.at(block, layer, role, benchmark))
    }

    /// Whether another tool took the figures of `layer`.
    pub(crate) fn imported(&self, layer: usize) -> bool {
        self.imported.get(layer) == Some(&true)
    }

    /// Whether `layer` was booted in `block` at all.
    pub(crate) fn booted(&self, block: u32, layer: usize) -> bool {
        self.booted.contains_key(&(block, layer))
    }
}

/// Which benchmarks the host measured: those whose series carry neither clock, and no other tool took.
fn by_host(campaign: &Campaign) -> Vec<bool> {
    let mut clocks: Vec<Option<bool>> = vec![None; campaign.benchmarks.len()];
    for row in campaign.series.iter().filter(|row| row.outcome == Outcome::Measured) {
        if let Some(clock) = clocks.get_mut(row.benchmark) {
            let boot = campaign.boots.get(row.boot);
            let layer = boot.and_then(|boot| campaign.layers.get(boot.layer));
            let other = layer.is_some_and(|layer| layer.kind == tare_store::IMPORTED);
            let clocked = row.host_ns > 0 || row.probe_ns > 0 || other;
            *clock = Some(clock.unwrap_or(false) || clocked);
        }
    }
    clocks.into_iter().map(|clock| clock == Some(false)).collect()
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

/// Which end is good, in `tare-stats`' words.
pub(crate) const fn best(better: Better) -> Best {
    match better {
        Better::Lower => Best::Lowest,
        Better::Higher => Best::Highest,
    }
}

fn reduce<'a>(series: &'a SeriesRow, bench: &BenchInfo, estimator: Option<Estimator>) -> Found<'a> {
    if series.outcome != Outcome::Measured {
        return Found::Absent(series.outcome, series.why.as_deref());
    }
    match series_value(bench, &series.samples, series.subtracted, estimator) {
        Ok(value) => Found::Value(value, series),
        Err(error) if series.subtracted > 0.0 => Found::Rejected(format!(
            "{error}, after subtracting {} measured beside it",
            quantity(bench.unit, series.subtracted)
        )),
        Err(error) => Found::Rejected(error.to_string()),
    }
}
