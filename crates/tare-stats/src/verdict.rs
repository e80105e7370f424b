//! What a scoreboard may say about its rows: slower, faster, equivalent or undecided, corrected for their number.

use crate::correct::{Correction, PairP, joint};
use crate::dist::{t_critical, t_upper};
use crate::error::StatError;
use crate::estimator::Best;
use crate::moderate::{VariancePrior, moderate};
use crate::ratio::{RatioInterval, is_zero, p_of_no_difference};
use serde::{Deserialize, Serialize};

/// What is said about one row. "Slower" and "faster" are about the layer, whichever way its unit points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The layer is worse than the baseline: ratio above 1 for [`Best::Lowest`], below 1 for [`Best::Highest`].
    Slower,
    /// The layer is better than the baseline.
    Faster,
    /// The ratio is shown to lie strictly inside (1/(1+margin), 1+margin).
    Equivalent,
    /// Neither a difference nor equivalence is shown.
    Undecided {
        /// How many blocks more would give a decision with about 80% chance, if ratio and noise are what they look
        /// like now; `None` when no number up to 10,000 would.
        more_blocks: Option<usize>,
    },
    /// The row has no usable interval (one block only, or numbers that are not finite).
    NoInterval,
}

/// One row of a scoreboard: benchmark × layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowInput {
    /// The row's ratio with its interval.
    pub interval: RatioInterval,
    /// The equivalence margin δ, a ratio: 0.02 for 2%.
    pub margin: f64,
    /// The measured noise floor, a log ratio of 0 or more ([`crate::NoiseFloor::log_floor`]).
    pub floor: f64,
    /// Which end of the row's unit is good.
    pub best: Best,
}

/// What [`verdicts`] says about a row, with the numbers it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// Adjusted p-value of "the ratio is 1".
    pub p_difference: f64,
    /// Adjusted p-value of "the ratio lies outside the margin" (two one-sided tests).
    pub p_equivalence: f64,
    /// A difference was shown, but it is no larger than the noise floor and so is not called one.
    pub within_floor: bool,
}

/// Whose variance a row is tested with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VarianceModel {
    /// Each row's own: exact for normal log ratios however different the rows are. The default.
    PerRow,
    /// Shrunk towards the rows' common variance ([`crate::moderate`]): more decisions from 3 blocks.
    Moderated,
}

/// How [`verdicts_with`] decides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictRules {
    /// Correction for the number of rows.
    pub correction: Correction,
    /// The error rate that is kept, e.g. 0.05.
    pub alpha: f64,
    /// Whose variance is used.
    pub variance: VarianceModel,
}

/// Verdicts for all rows of a scoreboard together, each row tested with its own variance.
///
/// For every row two tests are made: a two-sided t test of "the ratio is 1", and two one-sided t tests (Schuirmann
/// 1987) of "the ratio lies outside (1/(1+δ), 1+δ)". A ratio of 1 lies inside the margin, so at most one of the two
/// nulls is true; the p-values are corrected jointly with that ([`crate::correct::joint`]). Then, with the
/// corrected p-values:
/// 1. equivalence shown: [`Verdict::Equivalent`], even if the difference is significant too (it is real and small);
/// 2. difference shown and |log ratio| above the row's noise floor: [`Verdict::Slower`] or [`Verdict::Faster`];
/// 3. else [`Verdict::Undecided`].
///
/// Rows without a usable interval, margin or floor get [`Verdict::NoInterval`] and do not count in the correction.
#[must_use]
pub fn verdicts(rows: &[RowInput], correction: Correction, alpha: f64) -> Vec<RowVerdict> {
    verdicts_with(rows, &VerdictRules { correction, alpha, variance: VarianceModel::PerRow })
}

/// [`verdicts`] with every rule named.
#[must_use]
pub fn verdicts_with(rows: &[RowInput], rules: &VerdictRules) -> Vec<RowVerdict> {
    let usable: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].check().is_ok()).collect();
    let tests: Vec<Test> = tests(rows, &usable, rules.variance);
    let pairs: Vec<PairP> =
        usable.iter().zip(&tests).map(|(&i, t)| t.p_values(rows[i].log_margin())).collect();
    let mut answers = vec![NO_INTERVAL; rows.len()];
    // What is left to a row when every other row is still open; the honest level to plan more blocks for.
    let row_alpha = match rules.correction {
        Correction::None => rules.alpha,
        _ => rules.alpha / usable.len().max(1) as f64,
    };
    for ((&i, test), p) in usable.iter().zip(&tests).zip(joint(&pairs, rules.correction)) {
        answers[i] = decide(&rows[i], test, p, rules.alpha, row_alpha);
    }
    answers
}

const NO_INTERVAL: RowVerdict = RowVerdict {
    verdict: Verdict::NoInterval,
    p_difference: 1.0,
    p_equivalence: 1.0,
    within_floor: false,
};

/// The power that [`Verdict::Undecided`] plans for, as a normal quantile: 80%.
const POWER_80: f64 = 0.841_621;

/// No more blocks than this are proposed.
const MOST_BLOCKS: usize = 10_000;

impl RowInput {
    /// Whether the row can be tested.
    ///
    /// # Errors
    /// [`StatError::TooFew`] below two blocks; [`StatError::BadSetting`] for a margin or floor out of range, or an
    /// interval that is not made of finite numbers.
    pub fn check(&self) -> Result<(), StatError> {
        let i = &self.interval;
        if i.blocks < 2 {
            return Err(StatError::TooFew { have: i.blocks, need: 2 });
        }
        let sound =
            i.log_ratio.is_finite() && i.std_error.is_finite() && i.std_error >= 0.0 && i.df > 0.0;
        if !sound {
            return Err(StatError::BadSetting { name: "interval" });
        }
        if !(self.margin.is_finite() && self.margin > 0.0) {
            return Err(StatError::BadSetting { name: "margin" });
        }
        if self.floor >= 0.0 { Ok(()) } else { Err(StatError::BadSetting { name: "floor" }) }
    }

    fn log_margin(&self) -> f64 {
        self.margin.ln_1p()
    }
}

/// The numbers a row is tested with.
struct Test {
    log_ratio: f64,
    error: f64,
    df: f64,
}

fn tests(rows: &[RowInput], usable: &[usize], model: VarianceModel) -> Vec<Test> {
    let plain = usable.iter().map(|&i| {
        let r = &rows[i].interval;
        Test { log_ratio: r.log_ratio, error: r.std_error, df: r.df }
    });
    if model == VarianceModel::PerRow {
        return plain.collect();
    }
    let spreads: Vec<(f64, f64)> =
        usable.iter().map(|&i| (rows[i].interval.log_sd.powi(2), rows[i].interval.df)).collect();
    let prior = VariancePrior::estimate(&spreads);
    plain
        .zip(&spreads)
        .map(|(test, &(variance, df))| moderated(test, variance, df, prior.as_ref().ok()))
        .collect()
}

fn moderated(test: Test, variance: f64, df: f64, prior: Option<&VariancePrior>) -> Test {
    let Some(prior) = prior else { return test };
    let (posterior, total_df) = moderate(variance, df, prior);
    // A row without spread still has its share of the standard error: that of one over the root of its blocks.
    let scale = if variance > 0.0 {
        (posterior / variance).sqrt() * test.error
    } else {
        (posterior / (df + 1.0)).sqrt()
    };
    Test { error: scale, df: total_df, ..test }
}

impl Test {
    fn p_values(&self, log_margin: f64) -> PairP {
        let room = log_margin - self.log_ratio.abs();
        let equivalence = match self.error {
            0.0 => f64::from(u8::from(room <= 0.0)),
            error => t_upper(room / error, self.df),
        };
        PairP { difference: p_of_no_difference(self.log_ratio, self.error, self.df), equivalence }
    }
}

fn decide(row: &RowInput, test: &Test, p: PairP, alpha: f64, row_alpha: f64) -> RowVerdict {
    let differs = p.difference <= alpha && !is_zero(test.log_ratio);
    let within_floor = differs && test.log_ratio.abs() <= row.floor;
    let worse = (test.log_ratio > 0.0) == (row.best == Best::Lowest);
    let verdict = if p.equivalence <= alpha {
        Verdict::Equivalent
    } else if differs && !within_floor {
        if worse { Verdict::Slower } else { Verdict::Faster }
    } else {
        Verdict::Undecided { more_blocks: more_blocks(row, row_alpha) }
    };
    RowVerdict { verdict, p_difference: p.difference, p_equivalence: p.equivalence, within_floor }
}

/// Blocks to add until the row's ratio, if it stays, is decided at `alpha` with 80% power.
fn more_blocks(row: &RowInput, alpha: f64) -> Option<usize> {
    let interval = &row.interval;
    let size = interval.log_ratio.abs();
    let room = row.log_margin() - size;
    let enough = |n: usize| {
        let df = interval.df + (n - interval.blocks) as f64;
        let error = interval.log_sd / (n as f64).sqrt();
        let needs = |tail: f64| (t_critical(tail, df) + POWER_80) * error;
        (size > row.floor && size >= needs(alpha)) || room >= needs(2.0 * alpha)
    };
    let (mut low, mut high) = (interval.blocks, interval.blocks.saturating_add(MOST_BLOCKS));
    if !enough(high) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some((low - interval.blocks).max(1))
}
