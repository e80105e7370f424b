//! Two campaigns, before and after: ratios of unrelated blocks, their verdicts, and what else differs.

mod board;
mod condition;
mod differ;
mod gate;
mod means;
mod row;
mod side;

pub use board::{By, Campaigned, ComparedLayer, ComparedRow, Comparison, Difference};
pub(crate) use condition::Subject;
pub use condition::{Condition, ConditionError};
pub use gate::{Failing, Gate, Judged, Seen};

use crate::Comment;
use crate::board::{Method, Verdict};
use crate::options::Options;
use crate::ratio::subtracted::{self, bounded};
use crate::value::measured::best;
pub(crate) use gate::{Candidate, Rules, gate};
use row::{Pairing, row};
use side::{Chosen, Common, Side};
use std::fmt;
use tare_proto::Better;
use tare_stats::{RowInput, RowVerdict, verdicts};
use tare_store::Campaign;

/// What the reader of a comparison may choose.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// As for a scoreboard.
    pub options: Options,
    /// What is compared; `None` decides by whether the baseline is the same in both campaigns.
    pub by: Option<By>,
    /// Conditions that fail the comparison.
    pub fail_if: Vec<Condition>,
    /// Whether what a condition leaves undecided fails the comparison, too.
    pub fail_undecided: bool,
}

/// Why two campaigns cannot be compared at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareError {
    /// No layer that is to be compared is in both campaigns.
    NoLayer,
    /// No benchmark with the same unit is in both campaigns.
    NoBenchmark,
    /// Costs are wanted, and the campaigns have no baseline of the same name and kind.
    NoBaseline,
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoLayer => "no layer to compare is in both campaigns (layers are matched by name)",
            Self::NoBenchmark => "no benchmark is in both campaigns",
            Self::NoBaseline => {
                "the campaigns have no baseline of the same name and kind, so costs against it cannot be compared; \
                 compare values"
            }
        })
    }
}

impl std::error::Error for CompareError {}

/// Compares `after` with `before`; each comes with the name it is called by.
///
/// Values are reduced as for a scoreboard, one per block. The blocks of two campaigns have nothing to do with each
/// other, so the ratio's interval is Welch's on the logs. Verdicts are corrected over all rows of the comparison and
/// bounded below by the larger of the two campaigns' noise floors.
///
/// # Errors
/// When the campaigns have nothing in common.
pub fn compare(
    before: (&str, &Campaign),
    after: (&str, &Campaign),
    wanted: &CompareOptions,
) -> Result<Comparison, CompareError> {
    let options = &wanted.options;
    let sides = [Side::new(before.1, options), Side::new(after.1, options)];
    let Chosen { by, why } = side::choose(&sides, wanted.by)?;
    let common = Common::new(&sides, by)?;
    let rows = common.each(|layer, bench| Pairing::new(&sides, by, layer, bench, options));
    let judged = judge(&rows, &sides, &common, options);
    let layers = layers(&sides, &common, &rows, &judged, by, options);
    let control = means::control(&sides, &common, by, options);
    let mut comparison = Comparison {
        before: sides[0].summary(before.0),
        after: sides[1].summary(after.0),
        by,
        why: why.into(),
        method: method(options, &judged),
        differences: differ::differences(&sides, &common, options),
        layers,
        control,
        gate: None,
    };
    if !wanted.fail_if.is_empty() {
        comparison.gate = Some(gated(&comparison, wanted));
    }
    Ok(comparison)
}

/// The verdicts of all rows together, by layer and benchmark.
///
/// By the scoreboard's own rules. That its moderated variances hold for unrelated blocks too is simulated:
/// `examples/calibrate_compare.rs`, figures in docs/calibration.md.
fn judge(
    rows: &[Vec<Pairing>],
    sides: &[Side; 2],
    common: &Common,
    options: &Options,
) -> Vec<Vec<Option<RowVerdict>>> {
    let (mut inputs, mut wholes) = (Vec::new(), Vec::new());
    let cells = rows.iter().enumerate();
    let cells =
        cells.flat_map(|(at, layer)| layer.iter().zip(&common.benches).map(move |c| (at, c)));
    for (layer, (pairing, &bench)) in cells {
        let Some(interval) = pairing.interval else { continue };
        let best = best(sides[0].campaign.benchmarks[bench[0]].better);
        let floor = side::floor(sides, common.layers[layer], bench);
        inputs.push(RowInput { interval, margin: options.margin, floor, best, layer });
        wholes.extend(pairing.whole.map(|(_, whole)| (whole, best)));
    }
    let alpha = 1.0 - options.confidence;
    let mut answers = verdicts(&inputs, options.correction, alpha).into_iter();
    let mut wholes =
        subtracted::judge(&wholes, options.margin, options.correction, alpha).into_iter();
    let mut answer = |pairing: &Pairing| {
        let mut answer = pairing.interval.and_then(|_| answers.next())?;
        if pairing.whole.is_some() {
            answer.verdict = bounded(answer.verdict, wholes.next().flatten());
        }
        Some(answer)
    };
    rows.iter().map(|layer| layer.iter().map(&mut answer).collect()).collect()
}

fn layers(
    sides: &[Side; 2],
    common: &Common,
    rows: &[Vec<Pairing>],
    judged: &[Vec<Option<RowVerdict>>],
    by: By,
    options: &Options,
) -> Vec<ComparedLayer> {
    let mut geomeans = means::geomeans(sides, common, by, (rows, judged), options);
    let one = |at: usize, &layer: &[usize; 2]| {
        let info = &sides[0].campaign.layers[layer[0]];
        let cells = rows[at].iter().zip(&judged[at]).zip(&common.benches);
        ComparedLayer {
            name: info.name.clone(),
            kind: info.kind.clone(),
            geomeans: std::mem::take(&mut geomeans[at]),
            rows: cells
                .map(|((p, j), &bench)| row(sides, p, j.as_ref(), (layer, bench), options))
                .collect(),
            notes: differ::notes_of_both(sides, layer),
        }
    };
    let mut one = one;
    common.layers.iter().enumerate().map(|(at, layer)| one(at, layer)).collect()
}

fn method(options: &Options, judged: &[Vec<Option<RowVerdict>>]) -> Method {
    let counted = judged.iter().flatten().flatten();
    Method {
        confidence: options.confidence,
        margin: options.margin,
        correction: options.correction,
        comparisons: counted.filter(|j| j.verdict != tare_stats::Verdict::NoInterval).count(),
        estimator: options.estimator.map(|estimator| estimator.to_string()),
    }
}

/// What the conditions say of the rows.
fn gated(comparison: &Comparison, wanted: &CompareOptions) -> Gate {
    let options = &wanted.options;
    let (mut tested, mut untested) = (Vec::new(), Vec::new());
    for (layer, row) in comparison.rows() {
        let subject = Subject::new(layer.name.raw(), row.benchmark.raw(), row.unit);
        match candidate(subject, row) {
            Some(found) => tested.push(found),
            None if row.before.is_some() || row.after.is_some() => untested.push(subject),
            None => {}
        }
    }
    let rules = Rules {
        correction: options.correction,
        alpha: 1.0 - options.confidence,
        fail_undecided: wanted.fail_undecided,
    };
    gate(&wanted.fail_if, &tested, &untested, rules)
}

/// A row that was judged, as a gate sees it.
fn candidate<'a>(subject: Subject<'a>, row: &ComparedRow) -> Option<Candidate<'a>> {
    let log = row.ratio.filter(|_| row.verdict != Verdict::None)?.value.ln();
    Some(Candidate {
        subject,
        log_cost: if row.better == Better::Higher { -log } else { log },
        std_error: row.std_error?,
        df: row.df.unwrap_or(f64::INFINITY),
        verdict: row.verdict,
        p_difference: row.p_difference?,
        floor: row.floor.map_or(0.0, f64::ln),
        subtracted: row.comments.iter().any(|c| matches!(c, Comment::MostlySubtracted { .. })),
    })
}
