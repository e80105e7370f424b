//! The samples that a campaign's values are reduced from, for whoever draws them, and what they are in figures.

use crate::value::values::{BlockResult, Values};
use serde::Serialize;
use tare_stats::{Estimator, quantile};
use tare_store::{Campaign, Role};

/// The samples of one benchmark on one layer, in the row's unit: of the boots that count, all that were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SampleSummary {
    /// How many there are.
    pub samples: usize,
    /// Boots that they are from.
    pub boots: usize,
    /// Their median.
    pub median: f64,
    /// Their 10% quantile.
    pub low: f64,
    /// Their 90% quantile.
    pub high: f64,
    /// How many are zero or below: what was subtracted was as large as they were.
    pub not_positive: usize,
}

impl SampleSummary {
    /// `None` without a series that counts.
    pub(crate) fn of(values: &Values, layer: usize, benchmark: usize) -> Option<SampleSummary> {
        let mut all: Vec<f64> = Vec::new();
        let mut boots = 0;
        for found in values.all(layer, benchmark) {
            if let BlockResult::Value(_, series) = found {
                boots += 1;
                all.extend(&series.samples);
            }
        }
        let at = |p: f64| quantile(&all, p).ok();
        Some(SampleSummary {
            samples: all.len(),
            boots,
            median: at(0.5)?,
            low: at(0.1)?,
            high: at(0.9)?,
            not_positive: all.iter().filter(|sample| **sample <= 0.0).count(),
        })
    }
}

/// One boot's samples of one benchmark, in the order taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootSamples<'a> {
    /// The boot's block, from 0.
    pub block: u32,
    /// To weigh the layer, or for the noise floor.
    pub role: Role,
    /// In the benchmark's unit.
    pub values: &'a [f64],
}

/// A campaign's series that count: those that its values are reduced from, and no others.
pub struct Counted<'a> {
    values: Values<'a>,
}

impl<'a> Counted<'a> {
    /// Of a campaign whose series are reduced by `estimator`, or each by its benchmark's own.
    #[must_use]
    pub fn new(campaign: &'a Campaign, estimator: Option<Estimator>) -> Counted<'a> {
        Counted { values: Values::new(campaign, estimator) }
    }

    /// What `layer` measured of `benchmark`, block by block.
    #[must_use]
    pub fn boots(&self, layer: usize, benchmark: usize) -> Vec<BootSamples<'a>> {
        let boot = |block: u32, role: Role| match self.values.at(block, layer, role, benchmark)? {
            BlockResult::Value(_, row) => Some(BootSamples { block, role, values: &row.samples }),
            _ => None,
        };
        let roles = |&block: &u32| [Role::Weigh, Role::Floor].map(|role| boot(block, role));
        self.values.blocks.iter().flat_map(roles).flatten().collect()
    }

    /// The same in figures, as the board has them.
    #[must_use]
    pub fn summary(&self, layer: usize, benchmark: usize) -> Option<SampleSummary> {
        SampleSummary::of(&self.values, layer, benchmark)
    }
}
