//! The geometric mean of a suite's ratios with its own interval; rows absent from some blocks are dealt with openly.

use crate::check;
use crate::error::StatError;
use crate::ratio::{Parts, RatioInterval, ratio_of_logs};
use crate::summary::mean_of;
use serde::Serialize;

/// A suite's geometric mean ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SuiteGeomean {
    /// The geometric mean over rows and blocks, with its interval over blocks.
    pub interval: RatioInterval,
    /// Rows it rests on.
    pub rows: usize,
    /// Rows (by their place in the input) left out because fewer than two blocks have them.
    pub left_out: Vec<usize>,
    /// Cells (row × block) absent among the rows that are used.
    pub missing: usize,
}

/// The geometric mean of complete rows: `rows[r][b]` is the log ratio of row `r` in block `b`.
///
/// Per block the mean of the rows' log ratios is taken, then the t interval over blocks: what moves all rows of a
/// block together is so counted once, not once per row.
///
/// # Errors
/// [`StatError::LengthMismatch`] when the rows differ in blocks; [`StatError::TooFew`] below two blocks; empty or
/// non-finite input.
pub fn suite_geomean(rows: &[Vec<f64>], confidence: f64) -> Result<SuiteGeomean, StatError> {
    let cells: Vec<Vec<Option<f64>>> =
        rows.iter().map(|row| row.iter().copied().map(Some).collect()).collect();
    suite_geomean_sparse(&cells, confidence)
}

/// [`suite_geomean`] with absent cells (`None`): a layer that did not boot, a benchmark that failed.
///
/// The estimate is the mean of the rows' own means, so that a row's absence from a block does not shift the suite
/// towards the other rows' ratios. Its interval is the jackknife over blocks (Tukey's pseudo-values with t), which
/// for complete rows is exactly the t interval over the blocks' means. A row that fewer than two blocks have is left
/// out, and named.
///
/// # Errors
/// As [`suite_geomean`].
pub fn suite_geomean_sparse(
    rows: &[Vec<Option<f64>>],
    confidence: f64,
) -> Result<SuiteGeomean, StatError> {
    check::level(confidence)?;
    let blocks = rows.first().ok_or(StatError::Empty)?.len();
    rows.iter().try_for_each(|row| check_row(row, blocks))?;
    check::at_least(blocks, 2)?;
    let present = |row: &[Option<f64>]| row.iter().flatten().count();
    let left_out: Vec<usize> = (0..rows.len()).filter(|&r| present(&rows[r]) < 2).collect();
    let used: Vec<&[Option<f64>]> =
        rows.iter().map(Vec::as_slice).filter(|row| present(row) >= 2).collect();
    if used.is_empty() {
        return Err(StatError::TooFew { have: 1, need: 2 });
    }
    // A block that no row has is no replicate.
    let lived: Vec<usize> =
        (0..blocks).filter(|&b| used.iter().any(|row| row[b].is_some())).collect();
    let all = grand_mean(&used, None);
    let n = lived.len() as f64;
    let pseudo: Vec<f64> =
        lived.iter().map(|&b| n * all - (n - 1.0) * grand_mean(&used, Some(b))).collect();
    let missing = used.iter().map(|row| lived.iter().filter(|&&b| row[b].is_none()).count()).sum();
    check::finite(&pseudo).map_err(|_| StatError::Overflow)?;
    let spread = ratio_of_logs(&pseudo, confidence)?;
    let parts = Parts {
        mean: all,
        sd: spread.log_sd,
        error: spread.std_error,
        df: spread.df,
        blocks: lived.len(),
        paired: true,
    };
    let interval = RatioInterval::new(parts, confidence);
    Ok(SuiteGeomean { interval, rows: used.len(), left_out, missing })
}

/// The ratio of two suite means whose blocks are unrelated: `a` and `b` are of [`suite_geomean_sparse`] over the logs of
/// each side's own values. Welch's interval, by the standard errors and degrees of freedom that the two have.
#[must_use]
pub fn unpaired_geomean(a: &SuiteGeomean, b: &SuiteGeomean, confidence: f64) -> RatioInterval {
    let (a, b) = (&a.interval, &b.interval);
    let (part_a, part_b) = (a.std_error.powi(2), b.std_error.powi(2));
    let least = a.df.min(b.df);
    let welch = (part_a + part_b).powi(2) / (part_a.powi(2) / a.df + part_b.powi(2) / b.df);
    let parts = Parts {
        mean: b.log_ratio - a.log_ratio,
        sd: a.log_sd.hypot(b.log_sd),
        error: (part_a + part_b).sqrt(),
        df: if welch.is_finite() { welch.clamp(least, a.df + b.df) } else { least },
        blocks: a.blocks.min(b.blocks),
        paired: false,
    };
    RatioInterval::new(parts, confidence)
}

fn check_row(row: &[Option<f64>], blocks: usize) -> Result<(), StatError> {
    check::same_length(blocks, row.len())?;
    match row.iter().position(|cell| cell.is_some_and(|v| !v.is_finite())) {
        Some(index) => Err(StatError::NotFinite { index }),
        None => Ok(()),
    }
}

/// Mean over rows of each row's mean over its blocks, one block left out or none.
fn grand_mean(rows: &[&[Option<f64>]], without: Option<usize>) -> f64 {
    let means: Vec<f64> = rows
        .iter()
        .map(|row| {
            let kept: Vec<f64> = row
                .iter()
                .enumerate()
                .filter(|(b, _)| Some(*b) != without)
                .filter_map(|(_, v)| *v)
                .collect();
            mean_of(&kept)
        })
        .collect();
    mean_of(&means)
}
