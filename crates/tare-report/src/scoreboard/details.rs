//! Per layer: ratio, interval, raw pair, verdict and comments of every benchmark.

use crate::certainty::equivalent;
use crate::clean::{clean, width};
use crate::document::{self, Block, Column, Ink, Item, Piece, Place, Section, Table, paragraphs};
use crate::words::{self, reason};
use tare_board::format::{pair, ratio_and_interval};
use tare_board::{Cell, LayerSummary, Measure, Row, Scoreboard, Verdict};
use tare_proto::Untrusted;

/// Fewest columns that a benchmark's name gets on a terminal, and the narrowest one that has room for the raw pairs.
const NAME: usize = 12;
const WITH_RAW: usize = 76;

/// Most columns of a raw pair's title that names the layers.
const NAMED: usize = 19;

/// A table for each layer that has numbers.
pub(super) fn sections(board: &Scoreboard) -> Vec<Section> {
    let layers = board.others().enumerate().filter(|(_, layer)| layer.measured > 0);
    hint(board).into_iter().chain(layers.map(|(at, layer)| section(board, layer, at))).collect()
}

/// What the verdicts of undecided rows say.
fn hint(board: &Scoreboard) -> Option<Section> {
    let open = |c: &Cell| c.verdict == Verdict::Undecided && c.more_blocks.is_some();
    let text = "undecided (+n): about n more blocks would likely decide; too noisy here: it would take more than 100.";
    let any = board.rows.iter().flat_map(|row| &row.cells).any(open);
    any.then(|| Section::new(Place::Rows, "", paragraphs(Ink::Dim, vec![text.to_owned()])))
}

fn section(board: &Scoreboard, layer: &LayerSummary, at: usize) -> Section {
    let name = words::name(&layer.name);
    let baseline = words::name(&board.baseline);
    let shared = words::shared(board, at);
    let mut what = vec![clean(&layer.what), reason(&brief(layer))];
    what.retain(|text| !text.is_empty());
    let mut blocks = paragraphs(Ink::Dim, vec![what.join(" · ")]);
    if !shared.is_empty() {
        let labels: Vec<String> = shared.iter().map(clean).collect();
        blocks.push(Block::Paragraph(Ink::Caution, format!("all rows: {}", labels.join("; "))));
    }
    let (measured, absent): (Vec<&Row>, Vec<&Row>) =
        board.rows.iter().partition(|row| row.cells[at].ratio.is_some());
    let rows = measured.iter().map(|row| line(row, &row.cells[at], board.method.margin, &shared));
    blocks.push(Block::Table(Table::new(NAME, columns(board, &name, &baseline), rows.collect())));
    blocks.extend(without_number(&absent, at).into_iter().map(Block::Item));
    Section::new(Place::Rows, format!("{name} against {baseline}"), blocks)
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
    let raw = if width(&named) <= NAMED { named } else { "[layer/baseline]".into() };
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
            Piece::new(Ink::Plain, clean(&row.benchmark)),
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

/// Why benchmarks have no number, those with the same reason together.
fn without_number(absent: &[&Row], at: usize) -> Vec<Item> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for row in absent {
        let cell = &row.cells[at];
        let why = cell.why.as_ref().map(|why| format!(": {}", reason(why))).unwrap_or_default();
        let why = words::absent_in_words(cell.presence).to_owned() + &why;
        let name = words::name(&row.benchmark);
        match all.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => all.push((why, vec![name])),
        }
    }
    let item = |(why, names): (String, Vec<String>)| {
        Item::new(Some(names.join(", ")), vec![(Ink::Dim, why)])
    };
    all.into_iter().map(item).collect()
}
