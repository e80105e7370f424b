//! The noise floor: what the baseline's ratio to a second boot of itself says.

use crate::dist::t_factor;
use crate::error::StatError;
use crate::interval::ratio::{RatioInterval, exp_finite, log_ratios, ratio_of_logs};
use serde::Serialize;

/// What A/A pairs show: the ratio of the baseline to itself, and the bound that follows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseFloor {
    /// Ratio second boot / first boot with its interval. It should hold 1.
    pub interval: RatioInterval,
    /// The farther end of the interval from 1, as an absolute log ratio: nothing this small is called different.
    pub log_floor: f64,
    /// The same as a ratio of 1 or more: 1.03 means that ratios from 1/1.03 to 1.03 are within the floor.
    pub ratio_floor: f64,
    /// The interval holds 1. If not, the order of boots matters on this machine and the campaign should say so.
    pub holds_one: bool,
}

/// The noise floor of one benchmark from blocks that booted the baseline twice: the estimates of the first and of the
/// second boot, block by block.
///
/// The floor is the farther end of the t interval of the mean log ratio, so it shrinks with more blocks just as the
/// rows' own intervals do, and is wide when blocks are few.
///
/// # Errors
/// As [`crate::paired_ratio`]: two blocks at least, finite positive values, equal lengths.
pub fn noise_floor(
    first: &[f64],
    second: &[f64],
    confidence: f64,
) -> Result<NoiseFloor, StatError> {
    noise_floor_of_logs(&log_ratios(first, second)?, confidence)
}

/// The noise floor from the log ratios second boot / first boot, one per block: [`noise_floor`] after the division.
pub fn noise_floor_of_logs(logs: &[f64], confidence: f64) -> Result<NoiseFloor, StatError> {
    let interval = ratio_of_logs(logs, confidence)?;
    Ok(NoiseFloor::with_factor(interval, t_factor(confidence, interval.df)))
}

impl NoiseFloor {
    /// The floor that an interval shows whose factor of Student's t ([`t_factor`]) is known.
    pub fn with_factor(interval: RatioInterval, factor: f64) -> NoiseFloor {
        let half = if interval.degenerate { 0.0 } else { factor * interval.std_error };
        let log_floor = (interval.log_ratio.abs() + half).min(f64::MAX);
        let holds_one = interval.log_ratio.abs() <= half.max(1e-12);
        NoiseFloor { interval, log_floor, ratio_floor: exp_finite(log_floor), holds_one }
    }
}
