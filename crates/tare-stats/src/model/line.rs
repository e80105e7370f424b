//! A straight line through points, by least squares.

use crate::check;
use crate::error::StatError;
use crate::series::summary::mean_of;
use serde::Serialize;

/// `y = intercept + slope × x`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What one more of `x` adds to `y`.
    pub slope: f64,
    /// `y` where `x` is 0.
    pub intercept: f64,
}

/// The line with the smallest sum of squared distances in `y`.
///
/// It comes without an interval: points of one boot or block are no independent replicates, so whoever has several blocks takes
/// the interval of their slopes.
///
/// # Errors
/// Fewer than two points, unequal lengths, values that are not finite; [`StatError::NoSpread`] when all `x` are equal.
pub fn line(x: &[f64], y: &[f64]) -> Result<Line, StatError> {
    check::same_length(x.len(), y.len())?;
    check::finite(x)?;
    check::finite(y)?;
    check::at_least(x.len(), 2)?;
    let mean_x = mean_of(x);
    let mean_y = mean_of(y);
    let spread: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
    let together: f64 = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let slope = together / spread;
    match slope {
        _ if spread <= 0.0 => Err(StatError::NoSpread),
        slope if slope.is_finite() => Ok(Line { slope, intercept: mean_y - slope * mean_x }),
        _ => Err(StatError::Overflow),
    }
}
