//! The two tables of report 000: ratios with their raw pairs, and the widths of the means' intervals.

use crate::clean::{clean, fit};
use crate::document::{
    self, Block, Column, Document, Ink, Piece, Place, Section, Table, paragraphs,
};
use crate::text::{Paint, TextStyle, written};
use crate::words;
use tare_board::format::{pair, percent, short_ratio};
use tare_board::{LayerSummary, Measure, Row, Scoreboard};
use tare_proto::{Better, Untrusted};

/// Fewest columns that a benchmark's name gets, and most.
const NAME: (usize, usize) = (14, 28);
/// Columns of a ratio with its pair, and of a width, with the gap before them.
const RATIO: usize = 25;
const WIDTH: usize = 12;

/// Writes the tables that report 000 was sent with: `1.02 [137/134 µs]` by layer with comments, apart for benchmarks
/// where higher and where lower is better; then the width of every mean's confidence interval in percent of the mean.
/// No line is wider than `width` columns ([`TextStyle::NARROWEST`] at least).
pub fn vmi_tables(board: &Scoreboard, width: usize) -> String {
    let width = width.max(TextStyle::NARROWEST);
    let style = TextStyle { width, paint: Paint::Plain, details: true, last: false };
    let said = |texts| Section::new(Place::Title, "", paragraphs(Ink::Plain, texts));
    if board.others().all(|layer| layer.measured == 0) {
        let nothing = said(vec!["Nothing was measured against the baseline.".into()]);
        return written(&Document { title: String::new(), sections: vec![nothing] }, &style);
    }
    let mut sections: Vec<Section> =
        crate::notices::simulated(board).map(|notice| said(vec![notice])).into_iter().collect();
    let halves = [
        (Better::Higher, "HIGHER IS BETTER -> Higher ratio is better"),
        (Better::Lower, "LOWER IS BETTER -> Lower ratio is better"),
    ];
    for (better, title) in halves {
        let rows: Vec<&Row> = board.rows.iter().filter(|row| row.better == better).collect();
        if !rows.is_empty() {
            sections.extend(ratios(board, title, &rows, width));
        }
    }
    sections.push(widths(board));
    sections.push(said(vec![means(board)]));
    written(&Document { title: String::new(), sections }, &style)
}

/// A table for as many layers as fit side by side, with the comments on these.
fn ratios(board: &Scoreboard, title: &str, rows: &[&Row], width: usize) -> Vec<Section> {
    let baseline = fit(&clean(&board.baseline), RATIO / 2 - 3);
    let shared: Vec<Vec<Untrusted>> =
        (0..board.others().count()).map(|at| words::shared(board, at)).collect();
    let shown: Vec<_> = board.others().enumerate().filter(|(_, l)| l.measured > 0).collect();
    let beside = ((width - NAME.0) / RATIO).max(1);
    let part = |layers: &[(usize, &LayerSummary)]| {
        let named = |layer: &LayerSummary| fit(&clean(&layer.name), RATIO / 2);
        let mut columns = vec![Column::words("")];
        let titles = layers.iter().map(|(_, layer)| format!("{}/{baseline}", named(layer)));
        columns.extend(titles.map(Column::words));
        let mut lines: Vec<document::Row> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            if at == 0 || rows[at - 1].suite != row.suite {
                lines.push(vec![words::name(&row.suite)].into());
            }
            lines.push(ratio_line(row, layers, &shared));
        }
        Section::new(Place::Rows, title, vec![Block::Table(Table::new(NAME.0, columns, lines))])
    };
    shown.chunks(beside).map(part).collect()
}

fn ratio_line(
    row: &Row,
    layers: &[(usize, &LayerSummary)],
    shared: &[Vec<Untrusted>],
) -> document::Row {
    let mut cells = vec![Piece::new(Ink::Plain, fit(&clean(&row.benchmark), NAME.1))];
    let mut comments = Vec::new();
    for (at, layer) in layers {
        let cell = &row.cells[*at];
        let text = match (&cell.ratio, &cell.pair) {
            (Some(ratio), Some(raw)) => {
                format!("{} {}", short_ratio(ratio.value), pair(row.unit, raw))
            }
            _ => words::absent(cell.presence).into(),
        };
        cells.push(Piece::new(Ink::Plain, text));
        let labels = words::labels(cell, &shared[*at]);
        if !labels.is_empty() {
            comments.push(format!("{}: {}", words::name(&layer.name), labels.join(", ")));
        }
    }
    document::Row { remark: comments.join("; "), ..cells.into() }
}

/// How wide the interval of each mean is.
fn widths(board: &Scoreboard) -> Section {
    let confidence = words::percent_of(board.method.confidence);
    let heading = format!(
        "Width of the {confidence} confidence interval around the mean, in percent of the mean"
    );
    let shown: Vec<_> = board.others().enumerate().filter(|(_, l)| l.measured > 0).collect();
    let name = |name: &Untrusted| Column::numbers(fit(&clean(name), WIDTH - 2)).of(WIDTH - 2);
    let mut columns = vec![Column::words(""), name(&board.baseline)];
    let spread = shown.iter().map(|(_, layer)| Column { spread: true, ..name(&layer.name) });
    columns.extend(spread);
    let print = |width: Option<f64>| width.map_or_else(|| "–".into(), percent);
    let row = |row: &Row| -> document::Row {
        let mut line = vec![fit(&clean(&row.benchmark), NAME.1)];
        line.push(print(row.baseline.and_then(|mean| mean.ci_width_percent)));
        let own = |at: usize| row.cells[at].mean.and_then(|mean| mean.ci_width_percent);
        line.extend(shown.iter().map(|(at, _)| print(own(*at))));
        line.into()
    };
    let rows = board.rows.iter().map(row).collect();
    Section::new(Place::Rows, heading, vec![Block::Table(Table::new(NAME.0, columns, rows))])
}

fn means(board: &Scoreboard) -> String {
    let present = |measure| board.rows.iter().any(|row| Measure::of(row.unit) == measure);
    let values = match (present(Measure::Path), present(Measure::Size)) {
        (true, _) => "instruction counts",
        (_, true) => "times, rates and sizes",
        _ => "times and rates",
    };
    format!(
        "Means of {values} over blocks; the baseline's value in a block is the geometric mean of its two boots."
    )
}
