//! Estimators: the rules by which a series (all samples of one benchmark in one boot) becomes one number.

use crate::check;
use crate::error::StatError;
use crate::series::summary::{mean_interval, mean_of, quantile_in_place};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which end of the scale is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Best {
    /// Times, latencies: the smallest is best.
    Lowest,
    /// Rates, throughputs: the largest is best.
    Highest,
}

/// A rule that reduces a series to one number. Written as text: `mean`, `median`, `p99`, `best-of-5`, `best-18-of-30`,
/// `mean-until-5%`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Estimator {
    /// Arithmetic mean of all samples.
    Mean,
    /// Median of all samples.
    Median,
    /// What so many `percent` of the samples do not exceed, or fall short of where high values are good: `p99` is the beginning of the
    /// slowest hundredth. It takes a hundred samples, as `p99.9` takes a thousand.
    Percentile {
        /// From 50 to below 100.
        percent: f64,
    },
    /// The best of `of` samples.
    ///
    /// With fewer samples: the best of those there are. With more: the expected best of `of` of them drawn without
    /// replacement (a U-statistic), so that a longer series is not flattered by having had more tries.
    Best {
        /// How many tries the rule stands for.
        of: usize,
    },
    /// The mean of the best `keep` of `of` samples; with another number `n` of samples, of the best
    /// `ceil(n * keep / of)`.
    MeanOfBest {
        /// How many are kept.
        keep: usize,
        /// Out of how many.
        of: usize,
    },
    /// Arithmetic mean, sampled until its 95% t interval lies within ± `percent` of it.
    ///
    /// The samples of one boot are treated as independent here because that is the rule the reports used; the
    /// interval printed for the row never is (it comes from the blocks).
    MeanUntil {
        /// Half-width to reach, in percent of the mean.
        percent: f64,
    },
}

/// [`Estimator::MeanUntil`] does not trust an interval from fewer samples than this.
const LEAST_BEFORE_STOP: usize = 3;

impl Estimator {
    /// Reduces the samples of one series; the order of the samples does not matter.
    ///
    /// # Errors
    /// Empty, non-finite, zero or negative samples, each with its position; [`StatError::BadEstimator`] for
    /// numbers that make no sense (best 4 of 3).
    pub fn reduce(&self, samples: &[f64], best: Best) -> Result<f64, StatError> {
        self.check()?;
        check::positive(samples)?;
        check::at_least(samples.len(), self.fewest())?;
        Ok(self.reduce_in_place(&mut samples.to_vec(), best))
    }

    /// Reduces samples from which `subtracted`, the cost of what surrounds the operation, has been taken already.
    ///
    /// Noise may leave single samples at or below zero. They are accepted as long as the samples before the
    /// subtraction, and the resulting value, are positive. Adding a constant to all samples adds it to every estimator's
    /// result, so this is [`Estimator::reduce`] of the samples before the subtraction, less `subtracted`.
    ///
    /// # Errors
    /// As [`Estimator::reduce`], of the samples before the subtraction; [`StatError::NothingLeft`] when the value is not
    /// positive.
    pub fn reduce_corrected(
        &self,
        samples: &[f64],
        subtracted: f64,
        best: Best,
    ) -> Result<f64, StatError> {
        if subtracted == 0.0 {
            return self.reduce(samples, best);
        }
        let before: Vec<f64> = samples.iter().map(|sample| sample + subtracted).collect();
        let value = self.reduce(&before, best)? - subtracted;
        if value > 0.0 { Ok(value) } else { Err(StatError::NothingLeft) }
    }

    /// With fewer samples the rule has no value.
    #[must_use]
    pub fn fewest(&self) -> usize {
        match *self {
            Self::Percentile { percent } => (100.0 / (100.0 - percent)).round() as usize,
            _ => 1,
        }
    }

    /// How many samples the rule asks for; `None` when it leaves that to the harness.
    #[must_use]
    pub fn samples_wanted(&self) -> Option<usize> {
        match *self {
            Self::Best { of } | Self::MeanOfBest { of, .. } => Some(of),
            Self::Percentile { .. } => Some(self.fewest()),
            Self::Mean | Self::Median | Self::MeanUntil { .. } => None,
        }
    }

    /// Whether the samples so far are enough for this rule: the count for `best-…`, the 95% interval within
    /// ± p% (and at least three samples) for `mean-until-p%`, one sample for the others. Bad samples: `false`.
    #[must_use]
    pub fn satisfied(&self, samples: &[f64]) -> bool {
        match *self {
            Self::Mean | Self::Median => !samples.is_empty(),
            Self::Percentile { .. } => samples.len() >= self.fewest(),
            Self::Best { of } | Self::MeanOfBest { of, .. } => samples.len() >= of,
            Self::MeanUntil { percent } => {
                samples.len() >= LEAST_BEFORE_STOP
                    && mean_interval(samples, 0.95).is_ok_and(|i| i.half_width_percent() <= percent)
            }
        }
    }

    /// Reduces checked samples, reordering them: the bootstrap's inner loop.
    pub(crate) fn reduce_in_place(&self, samples: &mut [f64], best: Best) -> f64 {
        match *self {
            Self::Mean | Self::MeanUntil { .. } => mean_of(samples),
            Self::Median => quantile_in_place(samples, 0.5),
            Self::Percentile { percent } => match best {
                Best::Lowest => quantile_in_place(samples, percent / 100.0),
                Best::Highest => quantile_in_place(samples, 1.0 - percent / 100.0),
            },
            Self::Best { of } => best_of(samples, of, best),
            Self::MeanOfBest { keep, of } => {
                let kept =
                    (samples.len() as u128 * keep as u128).div_ceil(of.max(1) as u128) as usize;
                mean_of_best(samples, kept, best)
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), StatError> {
        let good = match *self {
            Self::Mean | Self::Median => true,
            Self::Percentile { percent } => (50.0..100.0).contains(&percent),
            Self::Best { of } => of >= 1,
            Self::MeanOfBest { keep, of } => keep >= 1 && keep <= of,
            Self::MeanUntil { percent } => percent.is_finite() && percent > 0.0,
        };
        if good { Ok(()) } else { Err(StatError::BadEstimator { text: self.to_string() }) }
    }
}

fn best_of(samples: &mut [f64], of: usize, best: Best) -> f64 {
    let n = samples.len();
    if n <= of {
        return match best {
            Best::Lowest => samples.iter().copied().fold(f64::INFINITY, f64::min),
            Best::Highest => samples.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        };
    }
    samples.sort_unstable_by(|a, b| in_order(a, b, best));
    // The chance that the i-th best of n is the best of `of` drawn ones: C(n-1-i, of-1) / C(n, of).
    let mut chance = of as f64 / n as f64;
    let mut expected = 0.0;
    for (i, sample) in samples.iter().enumerate().take(n - of + 1) {
        expected += chance * sample;
        chance *= (n - of - i) as f64 / (n - 1 - i).max(1) as f64;
    }
    expected
}

fn mean_of_best(samples: &mut [f64], kept: usize, best: Best) -> f64 {
    let kept = kept.clamp(1, samples.len());
    samples.select_nth_unstable_by(kept - 1, |a, b| in_order(a, b, best));
    mean_of(&samples[..kept])
}

fn in_order(a: &f64, b: &f64, best: Best) -> std::cmp::Ordering {
    match best {
        Best::Lowest => a.total_cmp(b),
        Best::Highest => b.total_cmp(a),
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => write!(f, "mean"),
            Self::Median => write!(f, "median"),
            Self::Percentile { percent } => write!(f, "p{percent}"),
            Self::Best { of } => write!(f, "best-of-{of}"),
            Self::MeanOfBest { keep, of } => write!(f, "best-{keep}-of-{of}"),
            Self::MeanUntil { percent } => write!(f, "mean-until-{percent}%"),
        }
    }
}

impl FromStr for Estimator {
    type Err = StatError;

    fn from_str(text: &str) -> Result<Self, StatError> {
        let bad = || StatError::BadEstimator { text: text.to_owned() };
        let count = |s: &str| s.parse::<usize>().map_err(|_| bad());
        let estimator = match text {
            "mean" => Self::Mean,
            "median" => Self::Median,
            _ => {
                if let Some(percent) =
                    text.strip_prefix("mean-until-").and_then(|p| p.strip_suffix('%'))
                {
                    Self::MeanUntil { percent: percent.parse().map_err(|_| bad())? }
                } else if let Some(percent) = text.strip_prefix('p') {
                    Self::Percentile { percent: percent.parse().map_err(|_| bad())? }
                } else if let Some(of) = text.strip_prefix("best-of-") {
                    Self::Best { of: count(of)? }
                } else {
                    let numbers = text.strip_prefix("best-").ok_or_else(bad)?;
                    let (keep, of) = numbers.split_once("-of-").ok_or_else(bad)?;
                    Self::MeanOfBest { keep: count(keep)?, of: count(of)? }
                }
            }
        };
        estimator.check().map_err(|_| bad())?;
        Ok(estimator)
    }
}

impl From<Estimator> for String {
    fn from(estimator: Estimator) -> Self {
        estimator.to_string()
    }
}

impl TryFrom<String> for Estimator {
    type Error = StatError;

    fn try_from(text: String) -> Result<Self, StatError> {
        text.parse()
    }
}
