//! Random-effects meta-analysis: what several hosts say together of one ratio, and how much hosts differ.

mod differ;
mod explained;
mod outlier;
mod shared;

pub use differ::p_of_same;
pub use explained::{Explained, Part, explained};
pub use outlier::{Residual, residuals};
pub use shared::share_variances;

use crate::check;
use crate::dist::t_factor;
use crate::error::StatError;
use serde::Serialize;

/// Steps of the bisection that finds the variance between hosts: each halves an interval, and a double has 52 bits.
const STEPS: usize = 200;

/// What one host says: an effect and the square of its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Study {
    /// The effect: a log ratio.
    pub effect: f64,
    /// The square of its standard error.
    pub variance: f64,
}

/// What all say together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pooled {
    /// The mean of the effects of all hosts of which these are a sample.
    pub mean: f64,
    /// Its standard error, after Hartung and Knapp, and no less than without their correction.
    pub std_error: f64,
    /// Lower end of the mean's confidence interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Lower end of the prediction interval: where the effect of the next host lies.
    pub next_low: f64,
    /// Upper end.
    pub next_high: f64,
    /// The variance between hosts, by restricted maximum likelihood.
    pub tau_squared: f64,
    /// The part of the whole variance that is between hosts, 0 to 1 (Higgins and Thompson's I²).
    pub i_squared: f64,
    /// Cochran's Q: how much more the effects differ than their standard errors say; by chance it is about `studies - 1`.
    pub q: f64,
    /// How many hosts these are.
    pub studies: usize,
}

/// Pools `studies` with t intervals of `confidence`.
///
/// The weights come from the variance between hosts that maximises the restricted likelihood; the standard error of the mean
/// is Hartung and Knapp's, whose intervals hold for few studies, too, but never less than what the studies' own errors leave (Röver,
/// Knapp and Friede 2015): effects that agree better than these by chance are no surer for it. The prediction interval has the
/// same `studies - 1` degrees of freedom.
///
/// # Errors
/// [`StatError::TooFew`] with one study; a variance that is zero or negative, an effect that is not finite, with its position.
pub fn pool(studies: &[Study], confidence: f64) -> Result<Pooled, StatError> {
    check::level(confidence)?;
    sound(studies, 2)?;
    let df = studies.len() as f64 - 1.0;
    let fixed = Weighted::new(studies, 0.0);
    let tau_squared = between(&[studies]);
    let random = Weighted::new(studies, tau_squared);
    let std_error = ((random.squares / df).max(1.0) / random.weight).sqrt();
    let t = t_factor(confidence, df);
    let next = t * (tau_squared + std_error * std_error).sqrt();
    let typical = df * fixed.weight / (fixed.weight * fixed.weight - fixed.weight_squared);
    Ok(Pooled {
        mean: random.mean,
        std_error,
        low: random.mean - t * std_error,
        high: random.mean + t * std_error,
        next_low: random.mean - next,
        next_high: random.mean + next,
        tau_squared,
        i_squared: tau_squared / (tau_squared + typical),
        q: fixed.squares,
        studies: studies.len(),
    })
}

/// Whether these are `need` studies or more with numbers that can be pooled.
fn sound(studies: &[Study], need: usize) -> Result<(), StatError> {
    check::at_least(studies.len(), need)?;
    for (index, study) in studies.iter().enumerate() {
        if !study.effect.is_finite() || !study.variance.is_finite() {
            return Err(StatError::NotFinite { index });
        }
        if study.variance <= 0.0 {
            return Err(StatError::NotPositive { index });
        }
    }
    Ok(())
}

/// Sums over studies whose weights are `1 / (variance + between)`.
struct Weighted {
    weight: f64,
    weight_squared: f64,
    mean: f64,
    /// Weighted squares of the distances from the mean.
    squares: f64,
    /// The same with squared weights.
    squares_squared: f64,
}

impl Weighted {
    fn new(studies: &[Study], between: f64) -> Weighted {
        let weights = || studies.iter().map(|study| 1.0 / (study.variance + between));
        let weight: f64 = weights().sum();
        let weight_squared = weights().map(|w| w * w).sum();
        let mean = weights().zip(studies).map(|(w, study)| w * study.effect).sum::<f64>() / weight;
        let square = |study: &Study| (study.effect - mean).powi(2);
        let squares = weights().zip(studies).map(|(w, study)| w * square(study)).sum();
        let squares_squared = weights().zip(studies).map(|(w, study)| w * w * square(study)).sum();
        Weighted { weight, weight_squared, mean, squares, squares_squared }
    }

    /// Twice the slope of the restricted log likelihood.
    fn slope(&self) -> f64 {
        self.squares_squared + self.weight_squared / self.weight - self.weight
    }
}

/// The variance between studies at which the restricted likelihood is greatest: where its slope is zero, or 0 where it only
/// falls. Each part has a mean of its own.
fn between<S: AsRef<[Study]>>(parts: &[S]) -> f64 {
    let slope = |between: f64| -> f64 {
        parts.iter().map(|part| Weighted::new(part.as_ref(), between).slope()).sum()
    };
    if slope(0.0) <= 0.0 {
        return 0.0;
    }
    let all = parts.iter().flat_map(AsRef::as_ref);
    let mut high = all.map(|study| study.variance).fold(f64::MIN_POSITIVE, f64::max);
    while slope(high) > 0.0 && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}
