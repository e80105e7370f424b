//! The words for verdicts, costs and absences, shared by every written form.

use crate::clean::{clean, fit};
use tare_board::Comment;
pub(crate) use tare_board::format::percent_of;
use tare_board::format::{percent, short_ratio};
use tare_board::{
    Cell, FailedBoot, LayerSummary, Measure, Presence, Ratio, Row, Scoreboard, Verdict,
};
use tare_proto::Better;
use tare_stats::Correction;
use tare_store::Role;

/// Longest name in a sentence.
const NAME: usize = 32;

/// A name from the campaign, harmless and of bearable length.
pub(crate) fn name(text: &str) -> String {
    fit(&clean(text), NAME)
}

/// What to know of geometric means: benchmarks at several loads, and rows that they leave out.
pub(crate) fn about_means(board: &Scoreboard) -> String {
    let mut text = String::new();
    if !tare_board::load::families(board).is_empty() {
        text += "Geometric means are over each benchmark's smallest load. ";
    }
    if board.geomeans.iter().any(|mean| mean.subtracted > 0) {
        text += "Geometric means leave out rows of which most is subtracted. ";
    }
    text
}

/// Rows of which most is subtracted, layer by layer, each with the ratio of the whole operations.
pub(crate) fn mostly_subtracted(board: &Scoreboard) -> Option<String> {
    let of = |(at, layer): (usize, &LayerSummary)| {
        let row = |row: &Row| {
            let (ratio, whole) = (row.cells[at].ratio?, row.cells[at].subtracted?.whole);
            let benchmark = name(&row.benchmark);
            Some(format!(
                "{benchmark} {}, with it {}",
                short_ratio(ratio.value),
                short_ratio(whole.value)
            ))
        };
        let rows: Vec<String> = board.rows.iter().filter_map(row).collect();
        (!rows.is_empty()).then(|| format!("{}: {}", name(&layer.name), rows.join("; ")))
    };
    let layers: Vec<String> = board.others().enumerate().filter_map(of).collect();
    let what = "Most of what these rows measure is subtracted (*), so they are called faster by no layer and otherwise \
                only what the whole operation shows, too.";
    (!layers.is_empty()).then(|| format!("{what} {}.", layers.join(". ")))
}

/// The verdict in a word.
pub(crate) const fn word(verdict: Verdict, measure: Measure) -> &'static str {
    match (verdict, measure) {
        (Verdict::Worse, Measure::Speed) => "slower",
        (Verdict::Worse, Measure::Size) => "heavier",
        (Verdict::Worse, Measure::Path) => "costlier",
        (Verdict::Better, Measure::Path) => "cheaper",
        (Verdict::Better, Measure::Speed) => "faster",
        (Verdict::Better, Measure::Size) => "lighter",
        (Verdict::Equivalent, _) => "equivalent",
        (Verdict::Undecided, _) => "undecided",
        (Verdict::None, _) => "no verdict",
    }
}

/// The verdict as one character.
pub(crate) const fn mark(verdict: Verdict) -> char {
    match verdict {
        Verdict::Worse => '▲',
        Verdict::Better => '▼',
        Verdict::Equivalent => '=',
        Verdict::Undecided => '?',
        Verdict::None => '·',
    }
}

/// Why a cell has no number, for a narrow column.
pub(crate) const fn absent(presence: Presence) -> &'static str {
    match presence {
        Presence::Measured => "",
        Presence::Unavailable => "n/a",
        Presence::Failed => "failed",
        Presence::Rejected => "bad",
        Presence::Unpaired => "alone",
        Presence::Missing => "–",
    }
}

/// Why a cell has no number, in words.
pub(crate) const fn absent_in_words(presence: Presence) -> &'static str {
    match presence {
        Presence::Measured => "measured",
        Presence::Unavailable => "cannot run there",
        Presence::Failed => "failed",
        Presence::Rejected => "samples rejected",
        Presence::Unpaired => "no ratio",
        Presence::Missing => "not measured",
    }
}

/// Correction for many comparisons, in words.
pub(crate) const fn correction(correction: Correction) -> &'static str {
    match correction {
        Correction::Holm => "Holm",
        Correction::BenjaminiHochberg => "Benjamini–Hochberg",
        Correction::None => "none",
    }
}

/// What a cell costs: its ratio, inverted where higher is better.
pub(crate) fn cost(row: &Row, cell: &Cell) -> Option<Ratio> {
    cell.ratio.map(|ratio| cost_of(ratio, row.better))
}

/// A ratio as a cost: inverted where higher is better.
pub(crate) fn cost_of(ratio: Ratio, better: Better) -> Ratio {
    if better == Better::Lower {
        return ratio;
    }
    let inverted = |end: Option<f64>| end.map(|end| 1.0 / end);
    let (low, high) = (inverted(ratio.high), inverted(ratio.low));
    Ratio { value: 1.0 / ratio.value, low, high, blocks: ratio.blocks }
}

/// A cost in words: `12.3 times slower`, `3.1% heavier`, `1.2% faster`.
pub(crate) fn times(cost: f64, measure: Measure) -> String {
    let verdict = if cost >= 1.0 { Verdict::Worse } else { Verdict::Better };
    let (word, larger) = (word(verdict, measure), cost.max(1.0 / cost));
    if larger >= 1.995 {
        return format!("{} times {word}", short_ratio(larger));
    }
    // A tenth off the weight is 10% lighter; a tenth off the time is 11% faster.
    let lighter = cost < 1.0 && measure != Measure::Speed;
    let part = if lighter { 1.0 - cost } else { larger - 1.0 };
    format!("{} {word}", percent(100.0 * part))
}

/// The labels that every measured cell of a layer carries: said once, not in every row.
pub(crate) fn shared(board: &Scoreboard, at: usize) -> Vec<String> {
    let mut measured = board.rows.iter().map(|r| &r.cells[at]).filter(|c| c.ratio.is_some());
    let labels = |cell: &Cell| cell.comments.iter().map(|c| c.label()).collect::<Vec<_>>();
    let Some(first) = measured.next() else { return Vec::new() };
    let rest: Vec<Vec<String>> = measured.map(labels).collect();
    let alone = rest.is_empty();
    let everywhere = |label: &String| !alone && rest.iter().all(|cell| cell.contains(label));
    labels(first).into_iter().filter(everywhere).collect()
}

/// A cell's own labels, without those that its whole layer shares, and those that its verdict says already.
pub(crate) fn labels(cell: &Cell, shared: &[String]) -> Vec<String> {
    let said = |comment: &&Comment| match comment {
        Comment::WideInterval { .. } => cell.verdict == Verdict::Undecided,
        Comment::OneBlock => cell.verdict == Verdict::None,
        _ => false,
    };
    let labels = cell.comments.iter().filter(|c| !said(c)).map(|comment| comment.label());
    labels.filter(|label| !shared.contains(label)).map(|label| clean(&label)).collect()
}

/// `block 2, floor boot, second attempt`.
pub(crate) fn which(boot: &FailedBoot) -> String {
    let floor = if boot.role == Role::Floor { ", floor boot" } else { "" };
    let attempt = if boot.attempt > 1 { ", second attempt" } else { "" };
    format!("block {}{floor}{attempt}", boot.block + 1)
}
