//! Warnings about the samples of a row, in plain English.

use serde::Serialize;
use std::fmt;

/// A finding about the samples of one benchmark in one layer. Percentages are of the value they relate to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Warning {
    /// The samples of a boot rise or fall after its first tenth, in the same way boot after boot.
    Trend {
        /// Change from the first to the last third of what follows, in percent.
        percent: f64,
    },
    /// The first samples of a boot differ from the rest, boot after boot.
    WarmUp {
        /// How many samples to drop, by the MSER rule; the middle of the boots.
        samples: usize,
        /// How far the first tenth lies from the second half, in percent.
        percent: f64,
    },
    /// The boots before and after this place differ: something changed during the campaign.
    ChangePoint {
        /// The first block after the change, from 0.
        block: usize,
        /// Change of the mean, in percent.
        percent: f64,
    },
    /// A sample resembles the one before it, so `n` samples tell less than `n` independent ones would.
    Autocorrelated {
        /// Lag-1 autocorrelation within boots.
        lag1: f64,
    },
    /// A boot resembles the one before it, so the interval is narrower than it should be.
    BootsAutocorrelated {
        /// Lag-1 autocorrelation between boots.
        lag1: f64,
    },
    /// The samples have two modes: one number does not describe them.
    Bimodal {
        /// How far the upper mode lies above the lower, in percent of the lower.
        percent: f64,
        /// Share of the samples in the upper mode.
        upper_share: f64,
    },
    /// Few distinct values: the clock or the counter is too coarse for this benchmark.
    CoarseClock {
        /// Distinct values seen.
        distinct: usize,
        /// Out of how many samples.
        samples: usize,
    },
    /// The t and the bootstrap interval disagree ([`crate::disagree`]).
    IntervalsDisagree {
        /// How far the ends are apart, as a share of the wider interval's half-width.
        gap: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Trend { percent } => write!(f, "samples drift by {percent:+.1}% within a boot"),
            Self::WarmUp { samples, percent } => {
                write!(
                    f,
                    "incomplete warm-up: the first samples are {percent:+.1}% off; drop {samples}"
                )
            }
            Self::ChangePoint { block, percent } => {
                write!(f, "values changed by {percent:+.1}% from block {} on", block + 1)
            }
            Self::Autocorrelated { lag1 } => {
                write!(f, "successive samples are correlated (lag-1 autocorrelation {lag1:.2})")
            }
            Self::BootsAutocorrelated { lag1 } => {
                write!(
                    f,
                    "successive boots are correlated (lag-1 autocorrelation {lag1:.2}): the interval is too narrow"
                )
            }
            Self::Bimodal { percent, upper_share } => {
                write!(
                    f,
                    "bimodal: {:.0}% of the samples lie {percent:.1}% higher",
                    100.0 * upper_share
                )
            }
            Self::CoarseClock { distinct, samples } => {
                write!(f, "coarse clock: {distinct} distinct values in {samples} samples")
            }
            Self::IntervalsDisagree { .. } => {
                write!(f, "skewed samples: the interval is uncertain")
            }
        }
    }
}
