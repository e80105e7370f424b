//! Whether hosts differ at all.

use super::{Study, Weighted, sound};
use crate::check;
use crate::dist::f_upper;
use crate::error::StatError;

/// The p-value of "all studies have the same effect": Welch's analysis of variance (1951), which knows that each variance was
/// estimated itself, with `df` degrees of freedom (infinity where it is known). Cochran's Q takes all variances for known, and
/// calls hosts of few blocks different too often.
///
/// # Errors
/// As [`super::pool`]; lengths that differ, degrees of freedom that are not above 0.
pub fn p_of_same(studies: &[Study], df: &[f64]) -> Result<f64, StatError> {
    check::same_length(studies.len(), df.len())?;
    sound(studies, 2)?;
    if let Some(index) = df.iter().position(|df| df.is_nan() || *df <= 0.0) {
        return Err(StatError::NotPositive { index });
    }
    let fixed = Weighted::new(studies, 0.0);
    let k = studies.len() as f64;
    let unknown: f64 = studies
        .iter()
        .zip(df)
        .map(|(study, df)| (1.0 - 1.0 / (study.variance * fixed.weight)).powi(2) / df)
        .sum();
    let squares = k * k - 1.0;
    let f = fixed.squares / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) / squares * unknown);
    Ok(f_upper(f, k - 1.0, squares / (3.0 * unknown)))
}
