//! What a report shows in addition to the scoreboard: counters, load curves and CPU time, as far as they were measured.

use crate::board::Scoreboard;
use crate::suite::load::{LoadCurve, curve, families};
use std::collections::BTreeMap;
use tare_proto::Untrusted;
use tare_proto::counter::{CALLED, CPU_SYSTEM, CPU_USER, ENTRY, FUNCTION};
use tare_proto::outside::OUTSIDE;
use tare_stats::{mean, mean_interval};
use tare_store::{Campaign, Outcome, Role};

/// Measurements that stand beside the samples. Empty where nothing was recorded; the page then says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extras {
    /// What was counted beside series, but CPU time by the layer's own kernel ([`Extras::usage`]), weights, and what the host saw from
    /// outside, which is explained ([`crate::explain()`]).
    pub counters: Vec<Counter>,
    /// Load curves by benchmark (index in the campaign of its smallest load).
    pub curves: Vec<(usize, LoadCurve)>,
    /// CPU time by benchmark (index in the campaign).
    pub usage: Vec<(usize, Usage)>,
}

/// A figure that was counted beside a benchmark on one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// Index of the benchmark in the campaign.
    pub benchmark: usize,
    /// Index of the layer in the campaign.
    pub layer: usize,
    /// What was counted.
    pub name: Untrusted,
    /// Mean over the boots.
    pub mean: f64,
    /// Its confidence interval, from two boots on.
    pub ci: Option<(f64, f64)>,
}

/// How a layer's CPUs spent their time during a benchmark, as shares of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// Index of the layer in the campaign.
    pub layer: usize,
    /// In programs.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// Waiting.
    pub idle: f64,
}

/// Benchmark, layer and name of a counter.
type Key<'a> = (usize, usize, &'a str);

impl Extras {
    /// All that `campaign` holds beside its samples; `board` is its scoreboard.
    #[must_use]
    pub fn of(campaign: &Campaign, board: &Scoreboard) -> Extras {
        let counted = counted(campaign);
        let shown = |key: &Key| {
            let apart =
                [OUTSIDE, FUNCTION, CALLED, ENTRY].iter().any(|prefix| key.2.starts_with(prefix));
            !["weight", CPU_USER, CPU_SYSTEM].contains(&key.2) && !apart
        };
        let confidence = board.method.confidence;
        let counter = |(&(benchmark, layer, name), values): (&Key, &Vec<f64>)| {
            let mean = mean(values).ok()?;
            // A count has no values below zero, and one that never changes needs no interval.
            let least = if mean < 0.0 { f64::NEG_INFINITY } else { 0.0 };
            let interval = mean_interval(values, confidence).ok().filter(|i| i.low < i.high);
            let ci = interval.map(|i| (i.low.max(least), i.high));
            Some(Counter { benchmark, layer, name: name.to_owned().into(), mean, ci })
        };
        Extras {
            counters: counted.iter().filter(|(key, _)| shown(key)).filter_map(counter).collect(),
            curves: curves(board),
            usage: usage(campaign, &counted),
        }
    }
}

/// The values of every counter, one a boot.
pub(crate) fn counted(campaign: &Campaign) -> BTreeMap<Key<'_>, Vec<f64>> {
    let mut found: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for row in campaign.series.iter().filter(|row| row.outcome == Outcome::Measured) {
        let boot = campaign.boots.get(row.boot).filter(|boot| boot.role != Role::OneCpu);
        let Some(boot) = boot else { continue };
        for counter in row.counters.iter().filter(|counter| counter.value.is_finite()) {
            let key = (row.benchmark, boot.layer, counter.name.as_str());
            found.entry(key).or_default().push(counter.value);
        }
    }
    found
}

fn curves(board: &Scoreboard) -> Vec<(usize, LoadCurve)> {
    let mut all = Vec::new();
    for family in families(board) {
        let curves = (0..board.layers.len()).map(|layer| curve(board, &family, layer));
        let at = family.rows[0].1;
        all.extend(curves.filter(|curve| !curve.points.is_empty()).map(|curve| (at, curve)));
    }
    all
}

/// Shares of the CPUs that the probe could use. A layer whose kernel counts no CPU time at all has none.
fn usage(campaign: &Campaign, counted: &BTreeMap<Key, Vec<f64>>) -> Vec<(usize, Usage)> {
    let mut all = Vec::new();
    for (&(benchmark, layer, name), user) in counted {
        let Some(system) = counted.get(&(benchmark, layer, CPU_SYSTEM)) else { continue };
        if name != CPU_USER {
            continue;
        }
        let (Ok(user), Ok(system)) = (mean(user), mean(system)) else { continue };
        if user + system <= 0.0 {
            continue;
        }
        // More than all of them is a clock's granularity.
        let all_of = cpus(campaign, layer).max(user + system);
        let (user, system) = (user / all_of, system / all_of);
        all.push((benchmark, Usage { layer, user, system, idle: (1.0 - user - system).max(0.0) }));
    }
    all
}

/// CPUs that the probe may use on a layer.
fn cpus(campaign: &Campaign, layer: usize) -> f64 {
    let boots = campaign.boots.iter().filter(|boot| boot.layer == layer);
    let affinity = boots.filter_map(|boot| boot.hello.as_ref()).map(|hello| hello.affinity.len());
    affinity.max().unwrap_or(1).max(1) as f64
}
