//! What can be wrong with the input of this crate: every failure is one of these values.

use serde::Serialize;
use std::fmt;

/// Why a statistic cannot be had from the numbers given.
///
/// The text of `Display` is a sentence for a report's row: it names the cause and where it sits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum StatError {
    /// There is no value at all.
    Empty,
    /// The value at `index` (from 0) is NaN or infinite.
    NotFinite {
        /// Position in the slice, from 0.
        index: usize,
    },
    /// The value at `index` (from 0) is zero or negative where a time or a rate is needed.
    NotPositive {
        /// Position in the slice, from 0.
        index: usize,
    },
    /// The value is zero or negative once the cost of what surrounds the operation has been subtracted.
    NothingLeft,
    /// Fewer values, blocks or boots than the statistic needs.
    TooFew {
        /// How many there are.
        have: usize,
        /// How many are needed.
        need: usize,
    },
    /// Two slices that belong together differ in length.
    LengthMismatch {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A confidence, level or probability is not strictly between 0 and 1.
    BadLevel {
        /// The level given.
        level: f64,
    },
    /// A setting (margin, floor, cost, number of resamples …) lies outside its range.
    BadSetting {
        /// Which setting.
        name: &'static str,
    },
    /// An estimator's name or its numbers make no sense.
    BadEstimator {
        /// The estimator as it was written.
        text: String,
    },
    /// The values are finite but their statistic is beyond the largest `f64`.
    Overflow,
    /// The settings that were measured cannot tell the model's effects apart.
    NotEstimable,
    /// All values agree (or all spreads are zero), so this statistic is not defined.
    NoSpread,
}

impl fmt::Display for StatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "no values"),
            Self::NotFinite { index } => write!(f, "value {} is not a finite number", index + 1),
            Self::NotPositive { index } => write!(f, "value {} is zero or negative", index + 1),
            Self::NothingLeft => write!(f, "the subtracted cost exceeded the measurement"),
            Self::TooFew { have, need } => write!(f, "{have} given, at least {need} needed"),
            Self::LengthMismatch { left, right } => {
                write!(f, "{left} values cannot be paired with {right}")
            }
            Self::BadLevel { level } => write!(f, "level {level} is not between 0 and 1"),
            Self::BadSetting { name } => write!(f, "{name} is outside its range"),
            Self::BadEstimator { text } => write!(
                f,
                "estimator {text:?} is not one of mean, median, best-of-N, best-K-of-N (1 <= K <= N), mean-until-P%"
            ),
            Self::Overflow => write!(f, "the result is too large for a 64-bit number"),
            Self::NotEstimable => {
                write!(f, "the settings that were measured cannot tell the effects apart")
            }
            Self::NoSpread => write!(f, "the values do not vary, so there is nothing to estimate"),
        }
    }
}

impl std::error::Error for StatError {}
