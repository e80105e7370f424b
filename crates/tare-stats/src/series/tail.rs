//! Quantiles with intervals that assume no distribution: from order statistics.

use crate::check;
use crate::error::StatError;
use crate::series::summary::quantile;
use serde::Serialize;
use statrs::function::beta::beta_reg;

/// A quantile and its two-sided interval, in the unit of the values. An end is open where there are too few values: below a median
/// lie enough of six, above a 99th percentile not before there are 368.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct QuantileInterval {
    /// The share of values at or below it.
    pub p: f64,
    /// By linear interpolation, as [`quantile`].
    pub value: f64,
    /// Lower end; none when it may lie below all values.
    pub low: Option<f64>,
    /// Upper end; none when it may lie above all values.
    pub high: Option<f64>,
}

/// The `p` quantile of independent values. The number of values below the true quantile is binomial whatever their distribution, so
/// two of the ordered values hold it with at least that confidence.
///
/// # Errors
/// As [`quantile`], and a confidence that is none.
pub fn quantile_interval(
    values: &[f64],
    p: f64,
    confidence: f64,
) -> Result<QuantileInterval, StatError> {
    check::level(confidence)?;
    check::level(p)?;
    let value = quantile(values, p)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let tail = (1.0 - confidence) / 2.0;
    // The value at `at` (from 0) lies above the quantile when no more than `at` values lie below it.
    let low = (0..n).take_while(|&at| at_most(at, n, p) <= tail).last();
    let high = (0..n).find(|&at| 1.0 - at_most(at, n, p) <= tail);
    Ok(QuantileInterval {
        p,
        value,
        low: low.map(|at| sorted[at]),
        high: high.map(|at| sorted[at]),
    })
}

/// The probability of at most `k` successes in `n > k` trials of probability `p`.
fn at_most(k: usize, n: usize, p: f64) -> f64 {
    beta_reg((n - k) as f64, k as f64 + 1.0, 1.0 - p)
}
