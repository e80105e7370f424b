//! The gate of a comparison or a campaign: which rows meet a condition after correction, and the smallest difference
//! that it could have detected.

use super::condition::{Claim, Condition, Subject};
use crate::board::{Measure, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;
use tare_proto::Untrusted;
use tare_stats::dist::{t_two_sided, t_upper};
use tare_stats::{Correction, benjamini_hochberg, holm};

/// What came of all conditions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// No condition is met and, where that was asked for, none is undecided.
    pub passed: bool,
    /// Whether what is undecided fails, too (`--fail-undecided`).
    pub fail_undecided: bool,
    /// Rows that have an interval.
    pub tested: usize,
    /// Rows that a condition is about, with a value somewhere, but too few for an interval.
    pub untested: usize,
    /// Rows that leave some condition undecided: neither shown to meet it nor shown not to.
    pub undecided: usize,
    /// Every condition as written, and what meets it.
    pub conditions: Vec<Judged>,
}

/// A condition and the rows that meet it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The condition.
    pub condition: String,
    /// Tested rows that it is about.
    pub rows: usize,
    /// Those that are neither shown to meet it nor shown not to.
    pub undecided: usize,
    /// The smallest difference that would have met it, on the row where that is smallest.
    pub least_seen: Option<Seen>,
    /// The same on the row where it is largest.
    pub least_seen_at_worst: Option<Seen>,
    /// The rows that fail it.
    pub failing: Vec<Failing>,
}

/// How large a difference on a row would have had to be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    /// The layer.
    pub layer: Untrusted,
    /// The benchmark.
    pub benchmark: Untrusted,
    /// What it measures.
    pub measure: Measure,
    /// The cost: above 1 is worse.
    pub cost: f64,
}

/// A row that meets a condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failing {
    /// The layer.
    pub layer: Untrusted,
    /// The benchmark.
    pub benchmark: Untrusted,
    /// Its cost: above 1 is worse.
    pub cost: f64,
    /// p-value of "the cost is no further from 1 than the condition's bound", corrected.
    pub p: f64,
}

/// A row as a gate needs it.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) subject: Subject<'a>,
    /// Logarithm of the cost: above 0 is worse.
    pub(crate) log_cost: f64,
    pub(crate) std_error: f64,
    /// Infinite when the rows' variances are alike.
    pub(crate) df: f64,
    /// What the row's own verdict is.
    pub(crate) verdict: Verdict,
    /// p-value of "the ratio is 1", corrected over all rows.
    pub(crate) p_difference: f64,
    /// The noise floor, as a logarithm.
    pub(crate) floor: f64,
    /// Most of the row is subtracted, so what it shows hangs on more than its own test.
    pub(crate) subtracted: bool,
}

/// How a gate judges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) correction: Correction,
    pub(crate) alpha: f64,
    pub(crate) fail_undecided: bool,
}

/// Tests every condition on every row that it is about; `untested` are those that cannot be.
///
/// A row fails a condition when both hold: it is shown to differ, corrected and beyond the noise floor, and the
/// shifted null "its cost is no further from 1 than the bound" is rejected by a one-sided t test with the verdict's
/// own standard error, corrected over the condition's rows in the same way. A point estimate beyond the bound is
/// never enough, and the margin of equivalence is of no account: what is shown to exceed the bound does.
pub(crate) fn gate(
    conditions: &[Condition],
    rows: &[Candidate],
    untested: &[Subject],
    rules: Rules,
) -> Gate {
    let judged: Vec<(Judged, Vec<usize>)> =
        conditions.iter().map(|condition| judge(condition, rows, rules)).collect();
    let open: BTreeSet<usize> = judged.iter().flat_map(|(_, open)| open).copied().collect();
    let about = |subject: &&Subject| conditions.iter().any(|c| c.concerns(subject));
    let untested = untested.iter().filter(about).count();
    let decided = open.len() + untested == 0 || !rules.fail_undecided;
    Gate {
        passed: decided && judged.iter().all(|(judged, _)| judged.failing.is_empty()),
        fail_undecided: rules.fail_undecided,
        tested: rows.len(),
        untested,
        undecided: open.len(),
        conditions: judged.into_iter().map(|(judged, _)| judged).collect(),
    }
}

/// One condition, and which of the rows it leaves undecided.
fn judge(condition: &Condition, rows: &[Candidate], rules: Rules) -> (Judged, Vec<usize>) {
    let (at, about): (Vec<usize>, Vec<&Candidate>) =
        rows.iter().enumerate().filter(|(_, row)| condition.concerns(&row.subject)).unzip();
    let p: Vec<f64> = about.iter().map(|row| condition.p_value(row)).collect();
    let p = match rules.correction {
        Correction::Holm => holm(&p),
        Correction::BenjaminiHochberg => benjamini_hochberg(&p),
        Correction::None => p,
    };
    let (mut failing, mut open) = (Vec::new(), Vec::new());
    for ((row, p), at) in about.iter().zip(p).zip(at) {
        if p <= rules.alpha && row.differs(rules.alpha) {
            failing.push(Failing {
                layer: row.subject.layer.into(),
                benchmark: row.subject.benchmark.into(),
                cost: cost(row.log_cost),
                p,
            });
        } else if !condition.excluded(row, rules.alpha) {
            open.push(at);
        }
    }
    let (least_seen, least_seen_at_worst) = seen(condition, &about, rows.len(), rules);
    let judged = Judged {
        condition: condition.to_string(),
        rows: about.len(),
        undecided: open.len(),
        least_seen,
        least_seen_at_worst,
        failing,
    };
    (judged, open)
}

/// The smallest difference that would have met the condition, were its row the only one that differs: on the row where that
/// is smallest, and where it is largest.
fn seen(
    condition: &Condition,
    about: &[&Candidate],
    all: usize,
    rules: Rules,
) -> (Option<Seen>, Option<Seen>) {
    let level = |rows: usize| match rules.correction {
        Correction::None => rules.alpha,
        _ => rules.alpha / rows.max(1) as f64,
    };
    let (level, of_all) = (level(about.len()), level(all));
    let sizes = about.iter().map(|row| (condition.least_seen(row, level, of_all), row));
    let mut sizes: Vec<(f64, &&Candidate)> =
        sizes.filter_map(|(size, row)| Some((size?, row))).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let of = |(size, row): &(f64, &&Candidate)| Seen {
        layer: row.subject.layer.into(),
        benchmark: row.subject.benchmark.into(),
        measure: row.subject.measure,
        cost: cost(condition.sign() * size),
    };
    (sizes.first().map(of), sizes.last().map(of))
}

fn cost(log: f64) -> f64 {
    log.exp().clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// The largest log cost at which a difference is looked for.
const FAR: f64 = 20.0;
/// Halvings of that: to a millionth of a millionth.
const HALVINGS: usize = 64;

impl Candidate<'_> {
    /// Whether a difference is shown, beyond the noise floor; it may be one that is equivalent within the margin.
    fn differs(&self, alpha: f64) -> bool {
        match self.verdict {
            Verdict::Worse | Verdict::Better => true,
            Verdict::Equivalent if !self.subtracted => {
                self.p_difference <= alpha && self.log_cost.abs() > self.floor
            }
            _ => false,
        }
    }

    /// p-value of "the distance is 0 or less".
    fn beyond(&self, distance: f64) -> f64 {
        match self.std_error {
            0.0 => f64::from(u8::from(distance <= 1e-12)),
            error => t_upper(distance / error, self.df),
        }
    }
}

impl Condition {
    /// The direction that it looks in; that of a cost when it looks in both.
    fn sign(&self) -> f64 {
        if matches!(self.claim, Claim::Better(_)) { -1.0 } else { 1.0 }
    }

    /// How far the row is in the direction of the condition.
    fn size(&self, row: &Candidate) -> f64 {
        match self.claim {
            Claim::Different => row.log_cost.abs(),
            _ => self.sign() * row.log_cost,
        }
    }

    /// p-value of the shifted null; for "different" both tails count, so that a bound of 0 is the usual two-sided test.
    fn p_value(&self, row: &Candidate) -> f64 {
        let (size, bound) = (self.size(row), self.bound());
        let near = row.beyond(size - bound);
        match self.claim {
            Claim::Different if row.std_error > 0.0 => (near + row.beyond(size + bound)).min(1.0),
            _ => near,
        }
    }

    /// Whether the row is shown not to meet the condition, by itself: all rows are within the bound when every single one
    /// is shown to be (an intersection-union test), so no correction is due.
    fn excluded(&self, row: &Candidate, alpha: f64) -> bool {
        if row.subtracted && row.verdict == Verdict::Undecided {
            return false;
        }
        let room = self.bound() - self.size(row);
        if row.std_error == 0.0 { room >= -1e-12 } else { row.beyond(room) <= alpha }
    }

    /// The smallest difference that the row would have failed with; `None` when none would do.
    fn least_seen(&self, row: &Candidate, level: f64, of_all: f64) -> Option<f64> {
        let fails = |size: f64| {
            let shifted = Candidate { log_cost: self.sign() * size, ..*row };
            let no_difference = match row.std_error {
                0.0 => 0.0,
                error => t_two_sided(size / error, row.df),
            };
            self.p_value(&shifted) <= level && no_difference <= of_all && size > row.floor
        };
        if row.subtracted || !fails(FAR) {
            return None;
        }
        let (mut passes, mut fails_at) = (0.0, FAR);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(passes, fails_at);
            if fails(middle) { fails_at = middle } else { passes = middle }
        }
        Some(fails_at)
    }
}
