//! What a knob does to what was counted beside a benchmark: instructions by place, crossings, hypercalls by name.

use super::effects::Fitted;
use super::responses::Grid;
use crate::board::CountedEffect;
use crate::options::Options;
use crate::value::values::{BlockResult, Values};
use std::collections::BTreeSet;
use tare_proto::counter::{HYPERCALL, VM_EXITS};
use tare_stats::{adjusted, mean_interval};
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
    VM_EXITS,
];

/// The least part of a counter that is worth a line.
const LEAST: f64 = 0.01;

/// Most counters of a benchmark: a plugin's own are fewer.
const MOST: usize = 64;

/// A change that was looked at, and the p-value of "there is none", not corrected for the others.
pub(super) struct Change {
    effect: CountedEffect,
    p: f64,
}

impl Fitted {
    /// The changes of every counter from the first setting of each knob to each other one.
    pub(super) fn counted(&self, grid: &Grid, values: &Values, confidence: f64) -> Vec<Change> {
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
                    let effect = CountedEffect {
                        counter: counter.clone().into(),
                        knob,
                        level,
                        first: first.iter().sum::<f64>() / first.len() as f64,
                        change: interval.mean,
                        low: interval.low,
                        high: interval.high,
                    };
                    found.push(Change { effect, p: interval.p_value(confidence) });
                }
            }
        }
        found
    }
}

/// The changes that are shown: no trifles, and none that is expected by chance among so many, which all of a campaign's are.
pub(super) fn shown(changes: Vec<Vec<Change>>, options: &Options) -> Vec<Vec<CountedEffect>> {
    let p: Vec<f64> = changes.iter().flatten().map(|change| change.p).collect();
    let mut p = adjusted(&p, options.correction).into_iter();
    let mut is_shown = |change: Change| {
        let clear = p.next().is_some_and(|p| p <= 1.0 - options.confidence);
        let effect = change.effect;
        let counts = effect.change != 0.0 && effect.change.abs() >= LEAST * effect.first;
        (clear && counts).then_some(effect)
    };
    changes.into_iter().map(|all| all.into_iter().filter_map(&mut is_shown).collect()).collect()
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
