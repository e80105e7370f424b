//! Location and spread of one set of values, and the interval of a mean as a percentage of the mean.

use crate::check;
use crate::dist::{t_factor, t_two_sided};
use crate::error::StatError;
use serde::Serialize;

/// A mean with its two-sided t interval, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanInterval {
    /// Arithmetic mean.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How many values it rests on. They must be independent replicates: estimates of boots, not samples of one.
    pub n: usize,
}

/// Mean and two-sided t interval of independent values, e.g. one estimate per boot.
///
/// # Errors
/// [`StatError::TooFew`] below two values; empty, non-finite, overflowing or bad-level input as named.
pub fn mean_interval(values: &[f64], confidence: f64) -> Result<MeanInterval, StatError> {
    check::level(confidence)?;
    let sd = sample_sd(values)?;
    let mean = mean(values)?;
    let n = values.len();
    let half = half_width_of(sd, n, confidence);
    let interval = MeanInterval { mean, low: mean - half, high: mean + half, n };
    if interval.low.is_finite() && interval.high.is_finite() {
        Ok(interval)
    } else {
        Err(StatError::Overflow)
    }
}

/// The half-width of the t interval of a mean over `n` values whose standard deviation is `sd`; infinite below two values.
#[must_use]
pub fn half_width_of(sd: f64, n: usize, confidence: f64) -> f64 {
    match n {
        0 | 1 => f64::INFINITY,
        _ => t_factor(confidence, (n - 1) as f64) * sd / (n as f64).sqrt(),
    }
}

impl MeanInterval {
    /// Two-sided p-value of "the mean is 0", not corrected for anything. Without any spread it is 0 or 1. `confidence` is that
    /// of the interval.
    pub fn p_value(&self, confidence: f64) -> f64 {
        let df = self.n as f64 - 1.0;
        match (self.high - self.low) / 2.0 {
            0.0 => f64::from(u8::from(self.mean == 0.0)),
            half => t_two_sided(self.mean / half * t_factor(confidence, df), df),
        }
    }

    /// The whole width of the interval, `(high - low) / mean × 100`.
    ///
    /// Report 000's second table is titled "95% confidence interval width around mean given in terms of percentage
    /// of mean". A width is end to end, so the full width is what this gives: the larger and so the safer reading.
    /// Whoever reads that table as ± compares with [`MeanInterval::half_width_percent`]. A mean of zero gives 0
    /// when the interval has no width, else infinity.
    pub fn width_percent(&self) -> f64 {
        let width = self.high - self.low;
        if width == 0.0 { 0.0 } else { 100.0 * width / self.mean.abs() }
    }

    /// Half the width as a percentage of the mean: the "± p%" that [`crate::Estimator::MeanUntil`] stops at.
    pub fn half_width_percent(&self) -> f64 {
        self.width_percent() / 2.0
    }
}

/// Arithmetic mean, with one correction pass so that rounding stays below the last digits.
pub fn mean(values: &[f64]) -> Result<f64, StatError> {
    check::finite(values)?;
    Ok(mean_of(values))
}

/// Standard deviation of a sample (divisor `n - 1`), exactly 0 when all values are equal.
///
/// # Errors
/// [`StatError::TooFew`] below two values; [`StatError::Overflow`] when it is beyond the largest `f64`.
pub fn sample_sd(values: &[f64]) -> Result<f64, StatError> {
    check::finite(values)?;
    check::at_least(values.len(), 2)?;
    let sd = sd_of(values, mean_of(values));
    if sd.is_finite() { Ok(sd) } else { Err(StatError::Overflow) }
}

/// Quantile by linear interpolation of the order statistics: type 7 of Hyndman and Fan (1996), as R and NumPy.
///
/// # Errors
/// Empty or non-finite input; [`StatError::BadLevel`] for `p` outside [0, 1].
pub fn quantile(values: &[f64], p: f64) -> Result<f64, StatError> {
    check::finite(values)?;
    if !(0.0..=1.0).contains(&p) {
        return Err(StatError::BadLevel { level: p });
    }
    Ok(quantile_in_place(&mut values.to_vec(), p))
}

/// The middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> Result<f64, StatError> {
    quantile(values, 0.5)
}

pub(crate) fn mean_of(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let sum: f64 = values.iter().sum();
    if !sum.is_finite() {
        return values.iter().map(|v| v / n).sum();
    }
    let rough = sum / n;
    let rest: f64 = values.iter().map(|v| v - rough).sum::<f64>() / n;
    if rest.is_finite() { rough + rest } else { rough }
}

/// Sample standard deviation of checked values around their mean; infinite when it does not fit.
pub(crate) fn sd_of(values: &[f64], mean: f64) -> f64 {
    let Some(&first) = values.first() else { return 0.0 };
    if values.iter().all(|v| *v == first) {
        return 0.0;
    }
    let divisor = (values.len().max(2) - 1) as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    if squares.is_finite() && squares > 1e-280 {
        return (squares / divisor).sqrt();
    }
    let largest = values.iter().map(|v| (v / 2.0 - mean / 2.0).abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    let scaled: f64 = values.iter().map(|v| ((v / 2.0 - mean / 2.0) / largest).powi(2)).sum();
    2.0 * largest * (scaled / divisor).sqrt()
}

/// Type-7 quantile of checked, non-empty values; reorders them, linear time.
pub(crate) fn quantile_in_place(values: &mut [f64], p: f64) -> f64 {
    let position = p * (values.len() - 1) as f64;
    let below = position.floor() as usize;
    let weight = position - below as f64;
    let (_, &mut low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    if weight == 0.0 || above.is_empty() {
        return low;
    }
    let next = above.iter().copied().fold(f64::INFINITY, f64::min);
    low * (1.0 - weight) + next * weight
}
