//! One cell: the ratio of one benchmark on one layer, and what is off about it.

use crate::Comment;
use crate::SampleSummary;
use crate::board::{Cell, Figures, Mean, Pair, Presence, Verdict};
use crate::ratio::analysis::Analysis;
use crate::ratio::judge::verdict;
use crate::ratio::moved::moved;
use crate::ratio::shapes::{SampleChecks, look};
use crate::ratio::subtracted::Whole;
use crate::ratio::weigh::{CellAddress, CellRatio};
use crate::remarks::note::{LATENCY_NS, clock_drift};
use crate::sandbox::tails;
use crate::value::values::{BlockResult, Values};
use tare_proto::counter::DISK_BYTES;
use tare_proto::{BenchInfo, Untrusted};
use tare_stats::{mean, mean_interval};
use tare_store::{Outcome, SeriesRow};

/// Puts the cell in a `column` together.
pub(crate) fn cell(place: &CellAddress, column: usize, analysis: &Analysis) -> Cell {
    let Analysis { values, floors, options, .. } = analysis;
    let weighed = &analysis.weighed[place.benchmark][column];
    let judged = analysis.judged[place.benchmark][column].as_ref();
    let ratio = weighed.ratio();
    let means = geometric_mean(&weighed.above).zip(geometric_mean(&weighed.below));
    let pair = means.map(|(layer, baseline)| Pair { layer, baseline });
    let own = mean_over_blocks(values, place.layer, place.benchmark, options.confidence);
    let (presence, why) = presence(values, place, ratio.is_some(), own.is_some());
    let (verdict, more_blocks) = judged.map_or((Verdict::None, None), |j| verdict(j.verdict));
    let mut comments = remarks(place, weighed, values);
    comments.extend(moved(place, ratio.as_ref(), values));
    if judged.is_some_and(|judged| judged.within_floor) && verdict == Verdict::Undecided {
        comments.insert(0, Comment::WithinFloor);
    }
    let SampleChecks { shape, bootstrap, findings } = look(values, place, weighed, options);
    comments.extend(findings.iter().filter(|f| f.is_remarkable()).cloned().map(Comment::Found));
    Cell {
        layer: place.name.to_owned().into(),
        presence,
        why,
        ratio,
        pair,
        subtracted: weighed.whole.as_ref().map(Whole::said),
        floor: floors.of_whole_series(place.benchmark, weighed.bases),
        samples: SampleSummary::of(values, place.layer, place.benchmark),
        tails: tails(values, place.layer, (place.benchmark, place.info), options.confidence),
        mean: own,
        verdict,
        more_blocks,
        p_difference: judged.map(|judged| judged.p_difference),
        p_equivalence: judged.map(|judged| judged.p_equivalence),
        shown: judged.and_then(|judged| judged.shown).filter(|_| verdict == Verdict::Equivalent),
        shape,
        bootstrap,
        findings,
        comments,
        figures: Figures::default(),
    }
}

/// A layer's mean over all its blocks, with the width of its interval.
pub(crate) fn mean_over_blocks(
    values: &Values,
    layer: usize,
    benchmark: usize,
    confidence: f64,
) -> Option<Mean> {
    let blocks = values.blocks.iter();
    let all: Vec<f64> = blocks.filter_map(|&b| values.value(b, layer, benchmark)).collect();
    mean_of(&all, confidence)
}

/// The geometric mean of `values`, one a block, with the width of its t interval on the log scale.
pub(crate) fn mean_of(values: &[f64], confidence: f64) -> Option<Mean> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let center = geometric_mean(values)?;
    let width = mean_interval(&logs, confidence)
        .ok()
        .map(|i| 100.0 * ((i.high - i.mean).exp() - (i.low - i.mean).exp()));
    Some(Mean { mean: center, ci_width_percent: width, blocks: values.len() })
}

/// The mean that a ratio is of: what stands beside one is of the same kind.
fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let center = mean(&logs).ok()?.exp();
    // Equal values stay what they are, to the last digit.
    Some(if values.iter().all(|value| *value == values[0]) { values[0] } else { center })
}

fn presence(
    values: &Values,
    place: &CellAddress,
    has_ratio: bool,
    has_mean: bool,
) -> (Presence, Option<Untrusted>) {
    if has_ratio {
        return (Presence::Measured, None);
    }
    if has_mean {
        let rejected = values.baseline.and_then(|baseline| {
            values.all(baseline, place.benchmark).find_map(|found| match found {
                BlockResult::Rejected(why) => Some(format!(" that can be used: {}", why.raw())),
                _ => None,
            })
        });
        let usual = if values.imported(place.layer) { "" } else { " in the same block" };
        let why = rejected.unwrap_or_else(|| usual.into());
        return (Presence::Unpaired, Some(format!("the baseline has no value{why}").into()));
    }
    let mut answer = (Presence::Missing, None);
    for found in values.all(place.layer, place.benchmark) {
        answer = match found {
            BlockResult::Rejected(why) => return (Presence::Rejected, Some(why.clone())),
            BlockResult::Absent(Outcome::Failed, why) => (Presence::Failed, why.clone()),
            BlockResult::Absent(Outcome::Unavailable, why) => (Presence::Unavailable, why.clone()),
            BlockResult::Absent(Outcome::Measured, _) | BlockResult::Value(..) => continue,
        };
    }
    answer
}

fn remarks(place: &CellAddress, weighed: &CellRatio, values: &Values) -> Vec<Comment> {
    let mut remarks = Vec::new();
    let have = weighed.below.len().min(weighed.above.len());
    match &weighed.interval {
        Some(interval) if interval.degenerate => remarks.push(Comment::NoSpread),
        Some(interval) if interval.half_width() > Comment::WIDE => {
            let percent = 100.0 * interval.half_width().exp_m1();
            remarks.push(Comment::WideInterval { percent });
        }
        None if have == 1 && values.imported(place.layer) => remarks.push(Comment::SingleFigure),
        None if have == 1 => remarks.push(Comment::OneBlock),
        _ => {}
    }
    if weighed.bases.unlike {
        remarks.push(Comment::UnlikeSeries);
    }
    if have > 0 && have < weighed.expected {
        remarks.push(Comment::MissingBlocks { have, of: weighed.expected });
    }
    let mut series: Vec<(f64, &SeriesRow)> = Vec::new();
    let mut rejected: Vec<&Untrusted> = Vec::new();
    for found in values.all(place.layer, place.benchmark) {
        match found {
            BlockResult::Value(value, row) => series.push((*value, row)),
            BlockResult::Rejected(why) => rejected.push(why),
            BlockResult::Absent(..) => {}
        }
    }
    if let Some(why) = rejected.first().filter(|_| have > 0) {
        remarks.push(Comment::Rejected { series: rejected.len(), why: (*why).clone() });
    }
    let own_clock = values.own_clock.get(place.layer) == Some(&true);
    remarks.extend(series_remarks(place.info, &series, own_clock));
    remarks.extend(weighed.whole.as_ref().map(|whole| {
        let said = whole.said();
        let percent = 100.0 * said.layer.max(said.baseline);
        Comment::MostlySubtracted { percent, whole: said.whole.value }
    }));
    remarks.extend(not_positive(place, values));
    remarks.extend(other_size(place, values));
    remarks.extend(cached(place, values));
    remarks
}

/// Samples that are no times, of the layer and of the baseline.
fn not_positive(place: &CellAddress, values: &Values) -> impl Iterator<Item = Comment> {
    let sides = [(Some(place.layer), false), (values.baseline, true)];
    sides.into_iter().filter_map(|(layer, baseline)| {
        let of = SampleSummary::of(values, layer?, place.benchmark)?;
        let samples = Some(of.not_positive).filter(|count| *count > 0)?;
        Some(Comment::NotPositive { samples, of: of.samples, baseline })
    })
}

/// What a benchmark says it worked on, in bytes.
const SIZES: [&str; 2] = ["array_bytes", "working_set_bytes"];

/// Whether the layer worked on another amount of memory than the baseline.
fn other_size(place: &CellAddress, values: &Values) -> Option<Comment> {
    let size = |layer: usize| {
        let counters = values.all(layer, place.benchmark).filter_map(|found| match found {
            BlockResult::Value(_, row) => Some(&row.counters),
            _ => None,
        });
        counters.flatten().find(|c| SIZES.contains(&c.name.as_str())).map(|c| c.value)
    };
    let (layer, baseline) = (size(place.layer)?, size(values.baseline?)?);
    (layer != baseline).then_some(Comment::OtherSize { layer, baseline })
}

/// The layer is called cached when less than this share of what the baseline had from disks came from them.
const CACHED: f64 = 0.5;

/// Whether the layer answered from a cache what the baseline had from a disk of the host.
fn cached(place: &CellAddress, values: &Values) -> Option<Comment> {
    let share = |layer: usize| {
        let rows = values.all(layer, place.benchmark).filter_map(|found| match found {
            BlockResult::Value(_, row) => row.counters.iter().find(|c| c.name == DISK_BYTES),
            _ => None,
        });
        let shares: Vec<f64> = rows.map(|counter| counter.value).collect();
        tare_stats::median(&shares).ok()
    };
    let (layer, baseline) = (share(place.layer)?, share(values.baseline?)?);
    let is_cached = baseline >= CACHED && layer < CACHED * baseline;
    is_cached.then_some(Comment::Cached { layer, baseline })
}

/// Samples of which a third is enough for a mean or a median.
const ENOUGH: usize = 12;

/// What is off about the series behind a cell.
fn series_remarks(info: &BenchInfo, series: &[(f64, &SeriesRow)], own_clock: bool) -> Vec<Comment> {
    let mut remarks = Vec::new();
    let drift = clock_drift(series.iter().map(|(_, row)| *row), LATENCY_NS.1);
    if let Some(percent) = drift.filter(|_| own_clock) {
        remarks.push(Comment::ClockDrift { percent });
    }
    if series.iter().any(|(_, row)| row.short_batch) {
        remarks.push(Comment::ShortBatch);
    }
    let least = series.iter().map(|(_, row)| row.samples.len()).min();
    // A best-of stands for as many as it names; a mean or median holds with whatever there was time for.
    let needed = if info.estimator.starts_with("best") { usize::MAX } else { ENOUGH };
    let needed = needed.min(info.samples as usize);
    if let Some(least) = least.filter(|least| least * 3 < needed) {
        remarks.push(Comment::FewSamples { least, wanted: info.samples });
    }
    remarks
}
