//! What is said of a layer's samples in figures, from all of them.

use crate::values::{Found, Values};
use serde::Serialize;
use tare_stats::quantile;

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
            if let Found::Value(_, series) = found {
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
