//! What a knob does to what was counted beside a benchmark: instructions by place, crossings, hypercalls by name.

use super::effects::Fitted;
use super::responses::Grid;
use crate::board::CountedEffect;
use crate::values::{BlockResult, Values};
use std::collections::BTreeSet;
use tare_stats::mean_interval;
use tare_store::{Role, SeriesRow};

/// Counters that are crossings, or begin so, or are instructions by place.
const CROSSINGS: [&str; 8] = [
    "/instructions",
    "/syscalls",
    "/page_faults",
    "/other_entries",
    "/vmcalls",
    "/cr3_writes",
    "/invlpg",
    "vm_exits",
];
const HYPERCALL: &str = "hypercall/";

/// The least part of a counter that is worth a line.
const LEAST: f64 = 0.01;

/// Most counters of a benchmark: a plugin's own are fewer.
const MOST: usize = 64;

impl Fitted {
    /// The changes that are shown, and are no trifles, by counter.
    pub(super) fn counted(
        &self,
        grid: &Grid,
        values: &Values,
        confidence: f64,
    ) -> Vec<CountedEffect> {
        let mut found = Vec::new();
        for counter in names(grid, values).into_iter().take(MOST) {
            let blocks: Option<Vec<Vec<f64>>> = grid
                .blocks
                .iter()
                .map(|block| {
                    grid.places.iter().map(|at| count(values, *block, *at, &counter)).collect()
                })
                .collect();
            let Some(blocks) = blocks else { continue };
            for (knob, factor) in grid.knobs.iter().enumerate() {
                for level in 1..factor.levels.len() {
                    let first = self.each_of(&blocks, |fit| fit.mean(&[(knob, 0)]));
                    let change = self.each_of(&blocks, |fit| fit.effect(knob, level));
                    let Ok(interval) = mean_interval(&change, confidence) else { continue };
                    let (low, high) = (interval.low, interval.high);
                    let first = first.iter().sum::<f64>() / first.len() as f64;
                    let shown = (low > 0.0 || high < 0.0) && interval.mean.abs() >= LEAST * first;
                    let counter = counter.clone();
                    let change = interval.mean;
                    found.extend(shown.then_some(CountedEffect {
                        counter,
                        knob,
                        level,
                        first,
                        change,
                        low,
                        high,
                    }));
                }
            }
        }
        found
    }
}

/// The counters that any setting has.
fn names(grid: &Grid, values: &Values) -> BTreeSet<String> {
    let wanted =
        |name: &str| name.starts_with(HYPERCALL) || CROSSINGS.iter().any(|end| name.ends_with(end));
    let mut names = BTreeSet::new();
    for (block, at) in grid.blocks.iter().flat_map(|b| grid.places.iter().map(move |at| (*b, *at)))
    {
        let counters = series(values, block, at).into_iter().flat_map(|row| &row.counters);
        names.extend(counters.filter(|c| wanted(&c.name)).map(|counter| counter.name.clone()));
    }
    names
}

/// How many there are of an operation; 0 where others were counted, `None` where nothing was.
fn count(values: &Values, block: u32, at: (usize, usize), counter: &str) -> Option<f64> {
    let counters = &series(values, block, at)?.counters;
    let own = counters.iter().find(|own| own.name == counter).map(|own| own.value);
    own.or((!counters.is_empty()).then_some(0.0)).filter(|value| value.is_finite())
}

fn series<'a>(
    values: &Values<'a>,
    block: u32,
    (layer, row): (usize, usize),
) -> Option<&'a SeriesRow> {
    match values.at(block, layer, Role::Weigh, row)? {
        BlockResult::Value(_, series) => Some(series),
        _ => None,
    }
}
