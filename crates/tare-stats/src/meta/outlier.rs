//! Which host is unlike the others.

use super::{Study, sound};
use crate::dist::t_two_sided;
use crate::error::StatError;
use serde::Serialize;

/// How far a study lies from all others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Residual {
    /// Its distance from their mean in standard errors, which are of them alone (externally studentized).
    pub value: f64,
    /// The p-value of such a distance, not corrected for the number of studies.
    pub p: f64,
}

/// The distance of each study from the mean of the others, over the error that the others leave to it: their variance between
/// hosts by moments (DerSimonian and Kacker 2007, with the weights of `tau_squared`, the variance of all), the error of their
/// mean and its own. It is tested by Student's t with two degrees of freedom less than there are studies, which for equal
/// variances is the textbook's test of an outlier. The cost is linear in the studies.
///
/// # Errors
/// As [`super::pool`], but there must be three studies.
pub fn residuals(studies: &[Study], tau_squared: f64) -> Result<Vec<Residual>, StatError> {
    sound(studies, 3)?;
    // Near zero, differences of sums keep their digits.
    let centre = studies.iter().map(|study| study.effect).sum::<f64>() / studies.len() as f64;
    let sums: Vec<Sums> = studies
        .iter()
        .map(|study| {
            let weight = 1.0 / (study.variance + tau_squared.max(0.0));
            Sums::of(study.effect - centre, study.variance, weight)
        })
        .collect();
    let all = sums.iter().fold(Sums::default(), |all, one| all.plus(one, 1.0));
    let df = studies.len() as f64 - 2.0;
    let residual = |(study, own): (&Study, &Sums)| {
        let (mean, between, error) = all.plus(own, -1.0).moments();
        let own = study.effect - centre - mean;
        let value = own / (study.variance + between + error).sqrt();
        Residual { value, p: t_two_sided(value, df) }
    };
    Ok(studies.iter().zip(&sums).map(residual).collect())
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    weight: f64,
    weight_squared: f64,
    effect: f64,
    effect_squared: f64,
    variance: f64,
    /// Of variances, by squared weights.
    variance_squared: f64,
}

impl Sums {
    fn of(effect: f64, variance: f64, weight: f64) -> Sums {
        Sums {
            weight,
            weight_squared: weight * weight,
            effect: weight * effect,
            effect_squared: weight * effect * effect,
            variance: weight * variance,
            variance_squared: weight * weight * variance,
        }
    }

    fn plus(&self, other: &Sums, sign: f64) -> Sums {
        Sums {
            weight: self.weight + sign * other.weight,
            weight_squared: self.weight_squared + sign * other.weight_squared,
            effect: self.effect + sign * other.effect,
            effect_squared: self.effect_squared + sign * other.effect_squared,
            variance: self.variance + sign * other.variance,
            variance_squared: self.variance_squared + sign * other.variance_squared,
        }
    }

    /// Mean, variance between studies by moments, and the square of the mean's standard error.
    fn moments(&self) -> (f64, f64, f64) {
        let mean = self.effect / self.weight;
        let squares = self.effect_squared - self.effect * mean;
        let chance = self.variance - self.variance_squared / self.weight;
        let scale = self.weight - self.weight_squared / self.weight;
        let between = ((squares - chance) / scale).max(0.0);
        let error =
            (self.variance_squared + between * self.weight_squared) / (self.weight * self.weight);
        (mean, between, error)
    }
}
