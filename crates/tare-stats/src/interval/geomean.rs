//! The geometric mean of a suite's ratios with its own interval, also for rows that are missing from some blocks.

use crate::check;
use crate::error::StatError;
use crate::interval::ratio::{LogRatio, RatioInterval, all_same};
use crate::series::summary::mean_of;
use crate::variance::uneven::{Spread, spread};
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
/// towards the other rows' ratios. Where rows ended after different numbers of blocks, the interval's degrees of
/// freedom are Satterthwaite's: those of the blocks that most rows rest on. For complete rows it is exactly the t
/// interval over the blocks' means. A row that fewer than two blocks have is left out, and named.
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
    let used: Vec<Vec<Option<f64>>> =
        used.iter().map(|row| lived.iter().map(|&b| row[b]).collect()).collect();
    let missing = used.iter().flatten().filter(|cell| cell.is_none()).count();
    let parts = if missing == 0 { complete(&used) } else { incomplete(&used) };
    check::finite(&[parts.mean, parts.error]).map_err(|_| StatError::Overflow)?;
    let interval = RatioInterval::new(parts, confidence);
    Ok(SuiteGeomean { interval, rows: used.len(), left_out, missing })
}

/// Of rows that all blocks have: the t interval over the blocks' means.
fn complete(rows: &[Vec<Option<f64>>]) -> LogRatio {
    let blocks = rows.first().map_or(0, Vec::len);
    let mean = |b: usize| mean_of(&rows.iter().filter_map(|row| row[b]).collect::<Vec<_>>());
    LogRatio::of_blocks(&(0..blocks).map(mean).collect::<Vec<_>>())
}

/// Of rows that some blocks lack.
fn incomplete(rows: &[Vec<Option<f64>>]) -> LogRatio {
    let own = |row: &Vec<Option<f64>>| row.iter().flatten().copied().collect::<Vec<f64>>();
    let cells: Vec<Vec<f64>> = rows.iter().map(own).collect();
    let means: Vec<f64> = cells.iter().map(|row| mean_of(row)).collect();
    let views: Vec<&[Option<f64>]> = rows.iter().map(Vec::as_slice).collect();
    let still = cells.iter().all(|row| all_same(row));
    let Spread { error, df } = spread(&views);
    let error = if still { 0.0 } else { error };
    // As many blocks as there are degrees of freedom, and one: what `error` would be after so many complete ones.
    let sd = error * (df + 1.0).sqrt();
    LogRatio { mean: mean_of(&means), sd, error, df, blocks: rows[0].len(), paired: true }
}

/// The ratio of two suite means whose blocks are unrelated: `a` and `b` are of [`suite_geomean_sparse`] over the logs of
/// each side's own values. Welch's interval, by the standard errors and degrees of freedom that the two have.
pub fn unpaired_geomean(a: &SuiteGeomean, b: &SuiteGeomean, confidence: f64) -> RatioInterval {
    let a = &a.interval;
    let b = &b.interval;
    let part_a = a.std_error.powi(2);
    let part_b = b.std_error.powi(2);
    let least = a.df.min(b.df);
    let welch = (part_a + part_b).powi(2) / (part_a.powi(2) / a.df + part_b.powi(2) / b.df);
    let parts = LogRatio {
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
