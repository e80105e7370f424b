//! Rank correlation: whether two lists put the same items into the same order, whatever their scales.

use crate::check;
use crate::error::StatError;
use serde::Serialize;

/// How alike two lists order the same things, each from -1 (opposite) to 1 (alike).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RankCorrelation {
    /// Spearman's rho: the correlation of the ranks; ties share their mean rank.
    pub spearman: f64,
    /// Kendall's tau-b: pairs ordered alike minus pairs ordered otherwise, corrected for ties.
    pub kendall: f64,
    /// How many things were ordered.
    pub count: usize,
}

/// Rank correlations of two paired lists. Time grows with the square of their length.
///
/// # Errors
/// [`StatError::TooFew`] below two values, [`StatError::NoSpread`] when a list is constant; mismatched lengths;
/// non-finite values.
pub fn rank_correlation(x: &[f64], y: &[f64]) -> Result<RankCorrelation, StatError> {
    check::same_length(x.len(), y.len())?;
    check::finite(x)?;
    check::finite(y)?;
    check::at_least(x.len(), 2)?;
    let kendall = kendall(x, y).ok_or(StatError::NoSpread)?;
    let spearman = pearson(&ranks(x), &ranks(y));
    Ok(RankCorrelation { spearman, kendall, count: x.len() })
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |v: f64| values.iter().filter(|w| **w < v).count() as f64;
    let equal = |v: f64| values.iter().filter(|w| **w == v).count() as f64;
    values.iter().map(|&v| below(v) + (equal(v) + 1.0) / 2.0).collect()
}

fn pearson(x: &[f64], y: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let mx = mean(x);
    let my = mean(y);
    let product = |a: &[f64], ma: f64, b: &[f64], mb: f64| {
        a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>()
    };
    let xx = product(x, mx, x, mx);
    let yy = product(y, my, y, my);
    (product(x, mx, y, my) / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0)
}

/// Tau-b; none when a list is constant.
fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let mut score = 0.0;
    let mut in_x = 0.0;
    let mut in_y = 0.0;
    for i in 0..x.len() {
        for j in 0..i {
            let sign = |v: &[f64]| if v[i] == v[j] { 0.0 } else { (v[i] - v[j]).signum() };
            let a = sign(x);
            let b = sign(y);
            score += a * b;
            in_x += a * a;
            in_y += b * b;
        }
    }
    (in_x > 0.0 && in_y > 0.0).then(|| score / (f64::sqrt(in_x) * f64::sqrt(in_y)))
}
