//! What can be wrong with the input of this crate: every failure is one of these values.

use serde::Serialize;

/// Why a statistic cannot be had from the numbers given.
///
/// The text of `Display` is a sentence for a report's row: it names the cause and where it sits.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
pub enum StatError {
    /// There is no value at all.
    #[error("no values")]
    Empty,
    /// The value at `index` (from 0) is NaN or infinite.
    #[error("value {} is not a finite number", index + 1)]
    NotFinite {
        /// Position in the slice, from 0.
        index: usize,
    },
    /// The value at `index` (from 0) is zero or negative where a time or a rate is needed.
    #[error("value {} is zero or negative", index + 1)]
    NotPositive {
        /// Position in the slice, from 0.
        index: usize,
    },
    /// The value is zero or negative once the cost of what surrounds the operation has been subtracted.
    #[error("the subtracted cost exceeded the measurement")]
    NothingLeft,
    /// Fewer values, blocks or boots than the statistic needs.
    #[error("{have} given, at least {need} needed")]
    TooFew {
        /// How many there are.
        have: usize,
        /// How many are needed.
        need: usize,
    },
    /// Two slices that belong together differ in length.
    #[error("{left} values cannot be paired with {right}")]
    LengthMismatch {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A confidence, level or probability is not strictly between 0 and 1.
    #[error("level {level} is not between 0 and 1")]
    BadLevel {
        /// The level given.
        level: f64,
    },
    /// A setting (margin, floor, cost, number of resamples …) lies outside its range.
    #[error("{name} is outside its range")]
    BadSetting {
        /// Which setting.
        name: &'static str,
    },
    /// An estimator's name or its numbers make no sense.
    #[error(
        "estimator {text:?} is not one of mean, median, best-of-N, best-K-of-N (1 <= K <= N), mean-until-P%"
    )]
    BadEstimator {
        /// The estimator as it was written.
        text: String,
    },
    /// The values are finite but their statistic is beyond the largest `f64`.
    #[error("the result is too large for a 64-bit number")]
    Overflow,
    /// The settings that were measured cannot tell the model's effects apart.
    #[error("the settings that were measured cannot tell the effects apart")]
    NotEstimable,
    /// All values agree (or all spreads are zero), so this statistic is not defined.
    #[error("the values do not vary, so there is nothing to estimate")]
    NoSpread,
}
