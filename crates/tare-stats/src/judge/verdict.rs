//! The verdicts of a scoreboard's rows: slower, faster, equivalent or undecided, corrected for the number of rows.

use crate::dist::{t_factor, t_upper};
use crate::interval::ratio::{is_zero, p_of_no_difference};
use crate::judge::correct::{Correction, PairP, joint};
use crate::judge::input::RowInput;
use crate::judge::more_blocks::more_blocks;
use crate::series::estimator::Best;
use crate::variance::moderate::{VariancePrior, moderate};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
        /// like now and the floor shrinks with the root of the blocks; `None` when no number up to 10,000 would.
        more_blocks: Option<usize>,
    },
    /// The row has no usable interval (one block only, or numbers that are not finite).
    NoInterval,
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
    /// Standard error of the log ratio that the tests used: the row's own, or the moderated one.
    pub std_error: f64,
    /// Degrees of freedom of `std_error`; `None` when they are infinite because the rows' variances are alike.
    pub df: Option<f64>,
    /// Of [`Verdict::Equivalent`] from [`verdicts_with`]: the interval that shows it.
    pub shown: Option<ShownInterval>,
}

/// The interval that an equivalence rests on: two one-sided tests at the level `alpha` are an interval of confidence
/// `1 - 2 alpha` that lies inside the margin, with the standard error of the tests and the level that the correction for the number
/// of rows left to this one. It is another one than the row's own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShownInterval {
    /// Its lower end, as a ratio.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Its confidence: 0.9 of a row that is judged alone at 5%.
    pub confidence: f64,
}

/// Whose variance a row is tested with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VarianceModel {
    /// Each row's own: exact for normal log ratios however different the rows are.
    PerRow,
    /// Shrunk towards the rows' common variance ([`crate::moderate`]): far more power on large scoreboards, but
    /// with 3 blocks and rows of very different noise, more false verdicts than promised unless a floor is measured.
    Moderated,
    /// [`VarianceModel::Moderated`] for the rows where simulation shows it to be safe: a noise floor was measured for
    /// the row, it has at least five blocks, and the scoreboard at least ten rows. Rows
    /// without any spread are moderated too: that they do not vary is not believed when the others do. Else the row's
    /// own. The default.
    Auto,
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

/// Verdicts for all rows of a scoreboard together, tested with [`VarianceModel::Auto`].
///
/// For every row two tests are made: a two-sided t test of "the ratio is 1", and two one-sided t tests (Schuirmann
/// 1987) of "the ratio lies outside (1/(1+δ), 1+δ)". A ratio of 1 lies inside the margin, so at most one of the two
/// nulls is true; the p-values are corrected jointly with that ([`crate::judge::correct::joint`]). Then, with the
/// corrected p-values:
/// 1. equivalence shown: [`Verdict::Equivalent`], even if the difference is significant too (it is real and small);
/// 2. difference shown and |log ratio| above the row's noise floor: [`Verdict::Slower`] or [`Verdict::Faster`];
/// 3. else [`Verdict::Undecided`].
///
/// The interval printed for a row stays its own t interval, uncorrected: it says what this row alone shows. The verdict
/// may rest on another standard error (given in [`RowVerdict`]) and is stricter by the correction, so an interval that
/// excludes 1 beside "undecided" is no contradiction.
///
/// Rows without a usable interval, margin or floor get [`Verdict::NoInterval`] and do not count in the correction.
pub fn verdicts(rows: &[RowInput], correction: Correction, alpha: f64) -> Vec<RowVerdict> {
    verdicts_with(rows, &VerdictRules { correction, alpha, variance: VarianceModel::Auto })
}

/// [`verdicts`] with every rule named.
pub fn verdicts_with(rows: &[RowInput], rules: &VerdictRules) -> Vec<RowVerdict> {
    let mut answers = claims(rows, rules);
    let usable = answers.iter().filter(|a| a.verdict != Verdict::NoInterval).count();
    // What is left to a row when every other row is still open: the honest level to plan more blocks for.
    let row_alpha = match rules.correction {
        Correction::None => rules.alpha,
        _ => rules.alpha / usable.max(1) as f64,
    };
    for (answer, row) in answers.iter_mut().zip(rows) {
        if answer.verdict == Verdict::Equivalent {
            answer.shown = Some(shown(answer, row, rules.alpha, usable));
        }
        if let Verdict::Undecided { more_blocks: planned } = &mut answer.verdict {
            *planned =
                more_blocks(row, answer.std_error, answer.df.unwrap_or(f64::INFINITY), row_alpha);
        }
    }
    answers
}

/// The interval that shows an equivalence, at the level at which it was tested among `rows`.
fn shown(answer: &RowVerdict, row: &RowInput, alpha: f64, rows: usize) -> ShownInterval {
    let test = Test {
        log_ratio: row.interval.log_ratio,
        error: answer.std_error,
        df: answer.df.unwrap_or(f64::INFINITY),
    };
    let own = test.p_values(row.log_margin()).equivalence;
    let times = (answer.p_equivalence / own).clamp(1.0, rows.max(1) as f64);
    // Below the smallest number that can be told from 0.
    let times = if times.is_finite() { times } else { rows.max(1) as f64 };
    let confidence = 1.0 - 2.0 * alpha / times;
    let half = if test.error == 0.0 { 0.0 } else { t_factor(confidence, test.df) * test.error };
    let end = |log: f64| log.exp();
    ShownInterval { low: end(test.log_ratio - half), high: end(test.log_ratio + half), confidence }
}

/// [`verdicts_with`] before it plans more blocks for the undecided rows, which costs more than deciding.
pub fn claims(rows: &[RowInput], rules: &VerdictRules) -> Vec<RowVerdict> {
    let usable: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].check().is_ok()).collect();
    let tests: Vec<Test> = tests(rows, &usable, rules.variance);
    let pairs: Vec<PairP> =
        usable.iter().zip(&tests).map(|(&i, t)| t.p_values(rows[i].log_margin())).collect();
    let mut answers = vec![NO_INTERVAL; rows.len()];
    for ((&i, test), p) in usable.iter().zip(&tests).zip(joint(&pairs, rules.correction)) {
        answers[i] = decide(&rows[i], test, p, rules.alpha);
    }
    answers
}

const NO_INTERVAL: RowVerdict = RowVerdict {
    verdict: Verdict::NoInterval,
    p_difference: 1.0,
    p_equivalence: 1.0,
    within_floor: false,
    std_error: 0.0,
    df: None,
    shown: None,
};

/// [`VarianceModel::Auto`] shrinks with at least this many rows of a layer …
const AUTO_ROWS: usize = 10;
/// … and, per row, this many degrees of freedom.
const AUTO_DF: f64 = 4.0;

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
    let prior = |layer: usize| {
        let of_layer = usable.iter().zip(&spreads).filter(|(row, _)| rows[**row].layer == layer);
        let of_layer: Vec<(f64, f64)> = of_layer.map(|(_, spread)| *spread).collect();
        match model {
            VarianceModel::Auto if of_layer.len() < AUTO_ROWS => None,
            _ => VariancePrior::estimate(&of_layer).ok(),
        }
    };
    let layers: BTreeSet<usize> = usable.iter().map(|row| rows[*row].layer).collect();
    let priors: BTreeMap<usize, Option<VariancePrior>> =
        layers.into_iter().map(|layer| (layer, prior(layer))).collect();
    let safe = |row: &RowInput| {
        let i = &row.interval;
        model == VarianceModel::Moderated || i.degenerate || (row.floor > 0.0 && i.df >= AUTO_DF)
    };
    plain
        .zip(usable.iter().zip(&spreads))
        .map(|(test, (&i, &(variance, df)))| {
            let prior = priors.get(&rows[i].layer).and_then(Option::as_ref);
            moderated(test, variance, df, prior.filter(|_| safe(&rows[i])))
        })
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

fn decide(row: &RowInput, test: &Test, p: PairP, alpha: f64) -> RowVerdict {
    let differs = p.difference <= alpha && !is_zero(test.log_ratio);
    let within_floor = differs && test.log_ratio.abs() <= row.floor;
    let worse = (test.log_ratio > 0.0) == (row.best == Best::Lowest);
    let verdict = if p.equivalence <= alpha {
        Verdict::Equivalent
    } else if differs && !within_floor {
        if worse { Verdict::Slower } else { Verdict::Faster }
    } else {
        Verdict::Undecided { more_blocks: None }
    };
    let df = test.df.is_finite().then_some(test.df);
    let PairP { difference: p_difference, equivalence: p_equivalence } = p;
    let std_error = test.error;
    let shown = None;
    RowVerdict { verdict, p_difference, p_equivalence, within_floor, std_error, df, shown }
}
