//! Moderated variances: each row's log variance is shrunk towards that of all rows, which gives a scoreboard with many
//! rows and few blocks enough power (Smyth 2004, "Linear models and empirical Bayes methods").

use crate::dist::{trigamma, trigamma_inverse};
use crate::error::StatError;
use serde::Serialize;
use statrs::function::gamma::digamma;

/// What the rows' variances have in common: a scaled inverse chi-squared prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VariancePrior {
    /// How many degrees of freedom the prior is worth; infinite when the rows differ no more than by chance.
    pub df: f64,
    /// The prior variance.
    pub variance: f64,
    /// Rows with a spread, from which it was estimated.
    pub rows: usize,
}

impl VariancePrior {
    /// Estimates the prior from `(variance, degrees of freedom)` of every row, by the moments of the logarithms of
    /// the variances (Smyth 2004, section 6.2). Rows without spread, or with unusable numbers, are left out.
    ///
    /// # Errors
    /// [`StatError::TooFew`] with fewer than three usable rows.
    pub fn estimate(rows: &[(f64, f64)]) -> Result<Self, StatError> {
        let usable: Vec<(f64, f64)> = rows
            .iter()
            .copied()
            .filter(|(v, df)| v.is_normal() && *v > 0.0 && df.is_finite() && *df > 0.0)
            .collect();
        let n = usable.len();
        if n < 3 {
            return Err(StatError::TooFew { have: n, need: 3 });
        }
        let logs: Vec<f64> =
            usable.iter().map(|(v, df)| v.ln() - digamma(df / 2.0) + (df / 2.0).ln()).collect();
        let mean = logs.iter().sum::<f64>() / n as f64;
        let spread = logs.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
        let chance = usable.iter().map(|(_, df)| trigamma(df / 2.0)).sum::<f64>() / n as f64;
        let excess = spread - chance;
        if excess <= 0.0 {
            return Ok(Self { df: f64::INFINITY, variance: mean.exp(), rows: n });
        }
        let df = 2.0 * trigamma_inverse(excess);
        let variance = (mean + digamma(df / 2.0) - (df / 2.0).ln()).exp();
        Ok(Self { df, variance, rows: n })
    }
}

/// The moderated variance `(d0·s0² + d·s²)/(d0 + d)` of a row and its degrees of freedom `d0 + d`.
pub fn moderate(variance: f64, df: f64, prior: &VariancePrior) -> (f64, f64) {
    if prior.df.is_infinite() {
        return (prior.variance, f64::INFINITY);
    }
    let total = prior.df + df;
    ((prior.df * prior.variance + df * variance) / total, total)
}
