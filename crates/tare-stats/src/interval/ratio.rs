//! The ratio of a layer to its baseline with a confidence interval, from one value per block.

use crate::check;
use crate::dist::{t_factor, t_two_sided};
use crate::error::StatError;
use crate::series::summary::{mean_of, sd_of};
use serde::{Deserialize, Serialize};

/// A ratio layer / baseline with its two-sided interval. Ratios have no unit; logs are natural.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// Geometric mean over the blocks of layer / baseline.
    pub ratio: f64,
    /// Lower end of the interval of `ratio`.
    pub low: f64,
    /// Upper end of the interval of `ratio`.
    pub high: f64,
    /// Blocks it rests on (unpaired: blocks on the side that has fewer).
    pub blocks: usize,
    /// Standard deviation of a block's log ratio (unpaired: root of the sum of both sides' log variances).
    pub log_sd: f64,
    /// Two-sided p-value of "the ratio is 1", not corrected for the number of rows.
    pub p_value: f64,
    /// The blocks do not vary at all, so the interval has no width. It says that the measurement repeats to the
    /// last digit, not that the ratio is known without error: a coarse clock looks the same.
    pub degenerate: bool,
    /// Natural logarithm of `ratio`.
    pub log_ratio: f64,
    /// Standard error of `log_ratio`.
    pub std_error: f64,
    /// Degrees of freedom of `std_error`: blocks - 1, Welch's, or Satterthwaite's of a geometric mean whose rows ended
    /// after different numbers of blocks.
    pub df: f64,
    /// Confidence of the interval, e.g. 0.95.
    pub confidence: f64,
    /// Whether baseline and layer were paired block by block.
    pub paired: bool,
}

/// A ratio without an interval: what a single block can give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioPoint {
    /// Geometric mean over the blocks of layer / baseline.
    pub ratio: f64,
    /// Blocks it rests on.
    pub blocks: usize,
}

/// The ratio with the t interval on the log scale, from one value per block, paired.
///
/// The blocks' log ratios are taken as independent and roughly normal; the interval is
/// `exp(mean ± t · sd/√n)` with `n - 1` degrees of freedom.
///
/// # Errors
/// [`StatError::TooFew`] with one block (see [`ratio_point`]); mismatched lengths; empty, non-finite, zero or
/// negative values with their position.
pub fn paired_ratio(
    baseline: &[f64],
    layer: &[f64],
    confidence: f64,
) -> Result<RatioInterval, StatError> {
    ratio_of_logs(&log_ratios(baseline, layer)?, confidence)
}

/// The ratio with its t interval from log ratios, one per block: [`paired_ratio`] after the division.
///
/// # Errors
/// As [`paired_ratio`].
pub fn ratio_of_logs(logs: &[f64], confidence: f64) -> Result<RatioInterval, StatError> {
    check::level(confidence)?;
    check::finite(logs)?;
    check::at_least(logs.len(), 2)?;
    Ok(RatioInterval::new(LogRatio::of_blocks(logs), confidence))
}

/// The ratio `b / a` of unrelated blocks: Welch's t interval on the logs (Welch 1947).
///
/// # Errors
/// [`StatError::TooFew`] when a side has one block; empty, non-finite, zero or negative values.
pub fn unpaired_ratio(a: &[f64], b: &[f64], confidence: f64) -> Result<RatioInterval, StatError> {
    check::level(confidence)?;
    let first = logs_of_side(a)?;
    let second = logs_of_side(b)?;
    let squared_error = |side: &LogRatio| side.sd * side.sd / side.blocks as f64;
    let error_a = squared_error(&first);
    let error_b = squared_error(&second);
    let sum = error_a + error_b;
    let welch = sum * sum / (error_a * error_a / first.df + error_b * error_b / second.df);
    let least = first.df.min(second.df);
    let df = if welch.is_finite() { welch.clamp(least, first.df + second.df) } else { least };
    let parts = LogRatio {
        mean: second.mean - first.mean,
        sd: (first.sd * first.sd + second.sd * second.sd).sqrt(),
        error: sum.sqrt(),
        df,
        blocks: first.blocks.min(second.blocks),
        paired: false,
    };
    Ok(RatioInterval::new(parts, confidence))
}

/// The ratio alone, from one block or more.
///
/// # Errors
/// As [`paired_ratio`], but one block is enough.
pub fn ratio_point(baseline: &[f64], layer: &[f64]) -> Result<RatioPoint, StatError> {
    point_of_logs(&log_ratios(baseline, layer)?)
}

/// The ratio alone from log ratios, one per block: [`ratio_point`] after the division.
///
/// # Errors
/// Empty or non-finite logs.
pub fn point_of_logs(logs: &[f64]) -> Result<RatioPoint, StatError> {
    check::finite(logs)?;
    check::at_least(logs.len(), 1)?;
    Ok(RatioPoint { ratio: exp_finite(mean_of(logs)), blocks: logs.len() })
}

/// The ratio `b / a` of unrelated blocks alone: of their geometric means, from one block a side or more.
///
/// # Errors
/// Empty, non-finite, zero or negative values.
pub fn unpaired_point(a: &[f64], b: &[f64]) -> Result<RatioPoint, StatError> {
    check::positive(a)?;
    check::positive(b)?;
    let log = |values: &[f64]| mean_of(&values.iter().map(|v| v.ln()).collect::<Vec<_>>());
    Ok(RatioPoint { ratio: exp_finite(log(b) - log(a)), blocks: a.len().min(b.len()) })
}

/// The natural logarithms of layer / baseline, block by block.
///
/// # Errors
/// Mismatched lengths; empty, non-finite, zero or negative values with their position.
pub fn log_ratios(baseline: &[f64], layer: &[f64]) -> Result<Vec<f64>, StatError> {
    check::same_length(baseline.len(), layer.len())?;
    check::positive(baseline)?;
    check::positive(layer)?;
    Ok(baseline.iter().zip(layer).map(|(b, l)| log_ratio(*b, *l)).collect())
}

impl RatioInterval {
    /// Half the interval's width on the log scale: 0.02 is about ± 2%.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        t_factor(self.confidence, self.df) * self.std_error
    }

    /// The interval of a log ratio.
    pub(crate) fn new(log: LogRatio, confidence: f64) -> Self {
        let factor = if log.error == 0.0 { 0.0 } else { t_factor(confidence, log.df) };
        Self::with_factor(log, confidence, factor)
    }

    /// The interval by a factor of Student's t ([`t_factor`]) that is known: simulations build millions with the same one.
    #[must_use]
    pub fn with_factor(log: LogRatio, confidence: f64, factor: f64) -> Self {
        let LogRatio { mean, sd, error, df, blocks, paired } = log;
        let half = factor * error;
        Self {
            ratio: exp_finite(mean),
            low: exp_finite(mean - half),
            high: exp_finite(mean + half),
            blocks,
            log_sd: sd,
            p_value: p_of_no_difference(mean, error, df),
            degenerate: error == 0.0,
            log_ratio: mean,
            std_error: error,
            df,
            confidence,
            paired,
        }
    }
}

/// A log ratio and how well it is known: what a [`RatioInterval`] is made from. Logs are natural.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRatio {
    /// Mean over the blocks.
    pub mean: f64,
    /// Standard deviation of one block's.
    pub sd: f64,
    /// Standard error of `mean`.
    pub error: f64,
    /// Degrees of freedom of `error`.
    pub df: f64,
    /// Blocks it rests on.
    pub blocks: usize,
    /// Whether baseline and layer were paired block by block.
    pub paired: bool,
}

impl LogRatio {
    /// From two finite log ratios or more, one per block.
    #[must_use]
    pub fn of_blocks(logs: &[f64]) -> Self {
        let blocks = logs.len();
        let mean = mean_of(logs);
        let sd = if all_same(logs) { 0.0 } else { sd_of(logs, mean) };
        let error = sd / (blocks as f64).sqrt();
        Self { mean, sd, error, df: blocks as f64 - 1.0, blocks, paired: true }
    }
}

/// Two-sided p-value of a true log ratio of 0. Without any spread it is 0 or 1.
pub(crate) fn p_of_no_difference(mean: f64, error: f64, df: f64) -> f64 {
    if error == 0.0 {
        return if is_zero(mean) { 1.0 } else { 0.0 };
    }
    t_two_sided(mean / error, df)
}

/// A log ratio that is 0 but for rounding.
pub(crate) fn is_zero(log_ratio: f64) -> bool {
    log_ratio.abs() <= 1e-12
}

/// `exp` that stays a positive finite number: a ratio beyond f64's range is clamped to its ends.
pub(crate) fn exp_finite(x: f64) -> f64 {
    x.exp().clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// Equal but for rounding: spread within 16 units in the last place.
pub(crate) fn all_same(values: &[f64]) -> bool {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high - low <= 16.0 * f64::EPSILON * low.abs().max(high.abs()).max(1.0)
}

pub(crate) fn log_ratio(baseline: f64, layer: f64) -> f64 {
    let ratio = layer / baseline;
    if ratio.is_normal() { ratio.ln() } else { layer.ln() - baseline.ln() }
}

/// The logarithms of one side's values, as if they were ratios to 1.
fn logs_of_side(values: &[f64]) -> Result<LogRatio, StatError> {
    check::positive(values)?;
    check::at_least(values.len(), 2)?;
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    Ok(LogRatio::of_blocks(&logs))
}
