//! Per layer: ratio, interval, raw pair, verdict and comments of every benchmark.

use super::page::Page;
use crate::certainty::equivalent;
use crate::clean::{clean, fit, width};
use crate::document::{self, Column, Ink, Piece, Table};
use crate::words;
use tare_board::format::{pair, ratio_and_interval};
use tare_board::{Cell, LayerSummary, Measure, Row, Scoreboard, Verdict};
use tare_proto::Untrusted;

/// Fewest columns that a benchmark's name gets, and most.
const NAME: (usize, usize) = (12, 40);

/// The narrowest page that has room for the raw pairs.
const WITH_RAW: usize = 76;

/// Writes one table per layer that has numbers.
pub(super) fn details(page: &mut Page, board: &Scoreboard) {
    let undecided = |c: &Cell| c.verdict == Verdict::Undecided && c.more_blocks.is_some();
    if board.rows.iter().flat_map(|row| &row.cells).any(undecided) {
        page.gap();
        let text = "undecided (+n): about n more blocks would likely decide; too noisy here: it would take more than 100.";
        page.paragraph(Ink::Dim, "", text);
    }
    for (at, layer) in board.others().enumerate() {
        if layer.measured > 0 {
            one(page, board, layer, at);
        }
    }
}

fn one(page: &mut Page, board: &Scoreboard, layer: &LayerSummary, at: usize) {
    let name = words::name(&layer.name);
    let baseline = words::name(&board.baseline);
    page.heading(&format!("{name} against {baseline}"));
    let shared = words::shared(board, at);
    let what = [clean(&layer.what), super::reason(&brief(layer))];
    let what: Vec<String> = what.into_iter().filter(|text| !text.is_empty()).collect();
    page.paragraph(Ink::Dim, "", &what.join(" · "));
    if !shared.is_empty() {
        let labels: Vec<String> = shared.iter().map(clean).collect();
        page.paragraph(Ink::Caution, "", &format!("all rows: {}", labels.join("; ")));
    }
    let measured = board.rows.iter().filter(|row| row.cells[at].ratio.is_some());
    let rows = measured.map(|row| line(row, &row.cells[at], board.method.margin, &shared));
    page.table(&Table::new(NAME.0, columns(board, &name, &baseline), rows.collect()));
    absent(page, board, at);
}

/// Settings that hold a layer's words. Those of a kind that brings them stand on the page and in `tare list`.
const WORDS: &[&str] = &["start", "stop", "check", "prepare", "push", "finish"];

/// A layer's settings, without the words that its kind has brought.
fn brief(layer: &LayerSummary) -> Untrusted {
    if layer.kind == "command" {
        return layer.settings.clone();
    }
    // A comma within a value stands behind a backslash.
    let escaped = layer.settings.raw().replace("\\,", "\u{1}");
    let words = |part: &str| part.split_once('=').is_some_and(|(key, _)| WORDS.contains(&key));
    let kept: Vec<&str> = escaped.split(',').filter(|part| !words(part)).collect();
    kept.join(",").replace('\u{1}', "\\,").into()
}

fn columns(board: &Scoreboard, layer: &str, baseline: &str) -> Vec<Column> {
    let named = format!("[{layer}/{baseline}]");
    let raw = if width(&named) <= 19 { named } else { "[layer/baseline]".into() };
    vec![
        Column::names("benchmark"),
        Column::numbers("ratio"),
        Column::words(format!("{} CI", words::percent_of(board.method.confidence))),
        Column::numbers(raw).spare_below(WITH_RAW),
        Column::words("verdict"),
    ]
}

fn line(row: &Row, cell: &Cell, margin: f64, shared: &[Untrusted]) -> document::Row {
    let (ratio, interval) = cell.ratio.as_ref().map(ratio_and_interval).unwrap_or_default();
    let raw = cell.pair.as_ref().map(|raw| pair(row.unit, raw)).unwrap_or_default();
    let ink = cell.verdict.into();
    document::Row {
        cells: vec![
            Piece::new(Ink::Plain, fit(&clean(&row.benchmark), NAME.1)),
            Piece::new(ink, ratio),
            Piece::new(Ink::Plain, interval.unwrap_or_else(|| "–".into())),
            Piece::new(Ink::Dim, raw),
            Piece::new(ink, verdict(row, cell, margin)),
        ],
        remark: words::labels(cell, shared).join("; "),
        verdict: cell.verdict,
    }
}

/// The verdict in words, and what an undecided row would need.
fn verdict(row: &Row, cell: &Cell, margin: f64) -> String {
    match cell.verdict {
        Verdict::Equivalent => equivalent(cell.ratio.as_ref(), cell.shown.as_ref(), margin),
        Verdict::Undecided => words::undecided(cell.more_blocks),
        verdict => words::word(verdict, Measure::of(row.unit)).into(),
    }
}

/// The benchmarks without a number, with the reason.
fn absent(page: &mut Page, board: &Scoreboard, at: usize) {
    for row in &board.rows {
        let cell = &row.cells[at];
        if cell.ratio.is_some() {
            continue;
        }
        let what = words::absent_in_words(cell.presence);
        let why = cell.why.as_ref().map(|why| format!(": {}", super::reason(why)));
        page.labelled(
            &format!("{}: ", words::name(&row.benchmark)),
            Ink::Dim,
            &format!("{what}{}", why.unwrap_or_default()),
        );
    }
}
