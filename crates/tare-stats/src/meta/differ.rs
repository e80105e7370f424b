//! Whether hosts differ at all.

use super::{Study, Weighted, sound};
use crate::check;
use crate::dist::f_upper;
use crate::error::StatError;

/// Below so many degrees of freedom of some host Welch's approximation calls hosts different too often.
const FEW: f64 = 10.0;

/// What a variance is worth at most in [`of_one_variance`], where it is taken for known.
const MOST: f64 = 1000.0;

/// The p-value of "all studies have the same effect": Welch's analysis of variance (1951), which knows that each variance was
/// estimated itself, with `df` degrees of freedom (infinity where it is known), from so many `blocks`. Cochran's Q takes all
/// variances for known, and calls hosts of few blocks different too often. So does Welch's where the blocks are very few; there
/// the classical analysis of variance, with one variance of all blocks, has to agree.
///
/// # Errors
/// As [`super::pool`]; lengths that differ, degrees of freedom that are not above 0.
pub fn p_of_same(studies: &[Study], df: &[f64], blocks: &[usize]) -> Result<f64, StatError> {
    check::same_length(studies.len(), df.len())?;
    check::same_length(studies.len(), blocks.len())?;
    sound(studies, 2)?;
    if let Some(index) = df.iter().position(|df| df.is_nan() || *df <= 0.0) {
        return Err(StatError::NotPositive { index });
    }
    let own = welch(studies, df);
    match df.iter().any(|df| *df < FEW) {
        true => Ok(own.max(of_one_variance(studies, df, blocks))),
        false => Ok(own),
    }
}

fn welch(studies: &[Study], df: &[f64]) -> f64 {
    let fixed = Weighted::new(studies, 0.0);
    let k = studies.len() as f64;
    let unknown: f64 = studies
        .iter()
        .zip(df)
        .map(|(study, df)| (1.0 - 1.0 / (study.variance * fixed.weight)).powi(2) / df)
        .sum();
    let squares = k * k - 1.0;
    let f = fixed.squares / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) / squares * unknown);
    f_upper(f, k - 1.0, squares / (3.0 * unknown))
}

/// The classical analysis of variance: a block varies as much on every host.
fn of_one_variance(studies: &[Study], df: &[f64], blocks: &[usize]) -> f64 {
    let known: f64 = df.iter().map(|df| df.min(MOST)).sum();
    let count = |blocks: usize| blocks.max(1) as f64;
    let parts = studies.iter().zip(blocks).zip(df);
    let squares: f64 = parts.map(|((s, n), df)| df.min(MOST) * s.variance * count(*n)).sum();
    let variance = squares / known;
    let shared: Vec<Study> = studies
        .iter()
        .zip(blocks)
        .map(|(study, n)| Study { variance: variance / count(*n), ..*study })
        .collect();
    let between = studies.len() as f64 - 1.0;
    f_upper(Weighted::new(&shared, 0.0).squares / between, between, known)
}
