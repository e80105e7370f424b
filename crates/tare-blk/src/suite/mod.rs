//! Report 001's experiments in time: rows that are measured in shuffled blocks, and their ratios within a block.

mod experiments;
mod table;

pub use experiments::{Experiment, Named, experiments};
pub use table::table;

use crate::error::Error;
use crate::measure::{Point, measure};
use crate::outcome::Outcome;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use serde::Serialize;
use tare_stats::{RatioInterval, StatError, mean, paired_ratio};

/// Tries of a row whose disk has answered nothing, as where something else had the CPUs meanwhile.
const TRIES: u32 = 3;

/// How sure an interval is.
const CONFIDENCE: f64 = 0.95;

#[derive(Debug, Serialize)]
pub struct Row {
    pub experiment: &'static str,
    pub name: String,
    /// Bytes a second, a block each.
    pub bandwidth: Vec<f64>,
    /// Its bandwidth over the first row's; none for the first row itself, and where one of them has answered nothing in a block.
    pub bandwidth_ratio: Option<RatioInterval>,
    /// CPU seconds of both ends for a gigabyte, over the first row's.
    pub cpu_ratio: Option<RatioInterval>,
    /// What was found in each block.
    pub outcomes: Vec<Outcome>,
}

impl Row {
    /// The mean over blocks of something that was found.
    pub fn mean_of(&self, what: impl Fn(&Outcome) -> f64) -> f64 {
        mean(&self.outcomes.iter().map(what).collect::<Vec<_>>()).unwrap_or(f64::NAN)
    }
}

/// Measures every row once a block, all of a block in a new order, and calls `tell` before each.
///
/// # Errors
/// The first row that fails, by name.
pub fn run(
    experiments: &[Experiment],
    blocks: usize,
    seed: u64,
    mut tell: impl FnMut(usize, &str),
) -> Result<Vec<Row>, Error> {
    if blocks < 2 {
        return Err(Error::Setting("an interval takes at least two blocks".into()));
    }
    let all: Vec<(&Experiment, &Named)> =
        experiments.iter().flat_map(|one| one.rows.iter().map(move |row| (one, row))).collect();
    let mut found: Vec<Vec<Outcome>> = all.iter().map(|_| Vec::new()).collect();
    let mut random = SplitMix64::seed_from_u64(seed);
    for block in 0..blocks {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_cached_key(|_| random.next_u64());
        for index in order {
            let (experiment, row) = all[index];
            let name = format!("{}, {}", experiment.name, row.name);
            tell(block, &name);
            let outcome = answered(&row.point)
                .map_err(|failure| Error::Row { name, failure: Box::new(failure) })?;
            found[index].push(outcome);
        }
    }
    let mut found = found.into_iter();
    let mut rows = Vec::new();
    for experiment in experiments {
        let outcomes: Vec<Vec<Outcome>> = found.by_ref().take(experiment.rows.len()).collect();
        rows.extend(compared(experiment, outcomes)?);
    }
    Ok(rows)
}

/// What was found at a point, where the disk has answered something.
fn answered(point: &Point) -> Result<Outcome, Error> {
    let mut outcome = measure(point)?;
    for _ in 1..TRIES {
        if outcome.requests > 0 {
            break;
        }
        outcome = measure(point)?;
    }
    Ok(outcome)
}

/// The rows of an experiment, each against the first.
fn compared(experiment: &Experiment, outcomes: Vec<Vec<Outcome>>) -> Result<Vec<Row>, Error> {
    let values =
        |of: &[Outcome], what: fn(&Outcome) -> f64| of.iter().map(what).collect::<Vec<f64>>();
    let first = outcomes.first().cloned().unwrap_or_default();
    let ratio = |of: &[Outcome], what: fn(&Outcome) -> f64| {
        match paired_ratio(&values(&first, what), &values(of, what), CONFIDENCE) {
            // One of them has answered nothing in a block.
            Err(StatError::NotPositive { .. } | StatError::NotFinite { .. }) => Ok(None),
            found => found.map(Some),
        }
    };
    let mut rows = Vec::new();
    for (index, (named, outcomes)) in experiment.rows.iter().zip(outcomes).enumerate() {
        let mut bandwidth_ratio = None;
        let mut cpu_ratio = None;
        if index > 0 {
            bandwidth_ratio = ratio(&outcomes, |one| one.bandwidth)?;
            cpu_ratio = ratio(&outcomes, Outcome::cpu_s_per_gb)?;
        }
        rows.push(Row {
            experiment: experiment.name,
            name: named.name.clone(),
            bandwidth: values(&outcomes, |one| one.bandwidth),
            bandwidth_ratio,
            cpu_ratio,
            outcomes,
        });
    }
    Ok(rows)
}
