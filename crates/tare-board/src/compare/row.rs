//! One row of a comparison: its values on both sides, their ratio, and remarks.

use super::board::{By, ComparedRow};
use super::side::{self, Side};
use crate::Comment;
use crate::board::{Ratio, Verdict};
use crate::options::Options;
use crate::ratio::cell::mean_of;
use crate::ratio::judge::verdict;
use crate::ratio::subtracted::MOST;
use tare_stats::{RatioInterval, RowVerdict, mean, unpaired_ratio};

/// One row's values on both sides, and their ratio.
pub(super) struct Pairing {
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    pub(super) interval: Option<RatioInterval>,
    /// After / before of the whole operations, and the largest part that is subtracted, where that is most of one.
    pub(super) whole: Option<(f64, Option<RatioInterval>)>,
    /// Every value is the same, and not by chance.
    identical: bool,
}

impl Pairing {
    pub(super) fn new(
        sides: &[Side; 2],
        by: By,
        layer: [usize; 2],
        bench: [usize; 2],
        options: &Options,
    ) -> Pairing {
        let values = |at: usize| -> Vec<f64> {
            sides[at].per_block(by, layer[at], bench[at]).into_iter().flatten().collect()
        };
        let (before, after) = (values(0), values(1));
        let interval = unpaired_ratio(&before, &after, options.confidence).ok();
        let whole =
            (0..2).map(|at| sides[at].subtracted(by, layer[at], bench[at])).fold(0.0, f64::max);
        let wholes = |at: usize| -> Vec<f64> {
            sides[at].whole_per_block(by, layer[at], bench[at]).into_iter().flatten().collect()
        };
        let whole = (whole > MOST)
            .then(|| (whole, unpaired_ratio(&wholes(0), &wholes(1), options.confidence).ok()));
        let identical = !before.is_empty() && before == after && side::repeats(sides);
        Pairing { before, after, interval, whole, identical }
    }

    /// The ratio, without an interval where a campaign has a single block.
    fn ratio(&self) -> Option<Ratio> {
        let log = |values: &[f64]| mean(&values.iter().map(|v| v.ln()).collect::<Vec<_>>()).ok();
        let point = |(before, after): (f64, f64)| Ratio {
            value: (after - before).exp().clamp(f64::MIN_POSITIVE, f64::MAX),
            low: None,
            high: None,
            blocks: self.before.len().min(self.after.len()),
        };
        let interval = self.interval.as_ref().map(Ratio::from);
        interval.or_else(|| log(&self.before).zip(log(&self.after)).map(point))
    }
}

/// Puts a row together.
pub(super) fn row(
    sides: &[Side; 2],
    pairing: &Pairing,
    judged: Option<&RowVerdict>,
    (layer, bench): ([usize; 2], [usize; 2]),
    options: &Options,
) -> ComparedRow {
    let info = &sides[0].campaign.benchmarks[bench[0]];
    let floor = side::floor(sides, layer, bench);
    let tested = || judged.map_or((Verdict::None, None), |j| verdict(j.verdict));
    let exact = pairing.identical; // no test: it is known
    let (said, more_blocks) = if exact { (Verdict::Identical, None) } else { tested() };
    let p = |of: fn(&RowVerdict) -> f64, known: f64| match exact {
        true => Some(known),
        false => judged.map(of),
    };
    let summary = |values: &[f64]| mean_of(values, options.confidence);
    ComparedRow {
        benchmark: info.name.clone().into(),
        suite: info.suite.clone().into(),
        unit: info.unit,
        better: info.better,
        estimator: options
            .estimator
            .map_or_else(|| info.estimator.clone(), |e| e.to_string())
            .into(),
        ratio: pairing.ratio(),
        before: summary(&pairing.before),
        after: summary(&pairing.after),
        floor: (floor > 0.0).then(|| floor.exp()),
        verdict: said,
        more_blocks,
        p_difference: p(|j| j.p_difference, 1.0),
        p_equivalence: p(|j| j.p_equivalence, 0.0),
        shown: judged.and_then(|j| j.shown).filter(|_| said == Verdict::Equivalent),
        std_error: p(|j| j.std_error, 0.0),
        df: judged.filter(|_| !exact).and_then(|j| j.df),
        comments: remarks(pairing, judged),
    }
}

fn remarks(pairing: &Pairing, judged: Option<&RowVerdict>) -> Vec<Comment> {
    let mut remarks = Vec::new();
    if pairing.identical {
        return remarks;
    }
    if judged.is_some_and(|j| j.within_floor && verdict(j.verdict).0 == Verdict::Undecided) {
        remarks.push(Comment::WithinFloor);
    }
    match &pairing.interval {
        Some(interval) if interval.degenerate => remarks.push(Comment::NoSpread),
        Some(interval) if interval.half_width() > Comment::WIDE => {
            let percent = 100.0 * interval.half_width().exp_m1().min(9.99);
            remarks.push(Comment::WideInterval { percent });
        }
        None if pairing.before.len().min(pairing.after.len()) == 1 => {
            remarks.push(Comment::OneBlock);
        }
        _ => {}
    }
    if let Some((part, Some(whole))) = &pairing.whole {
        remarks.push(Comment::MostlySubtracted { percent: 100.0 * part, whole: whole.ratio });
    }
    remarks
}
