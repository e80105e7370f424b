//! The two tables of report 000: ratios with their raw pairs, and the widths of the means' intervals.

use crate::clean::{clean, fit};
use crate::document::{self, Ink, Piece, Side};
use crate::text::{Page, Paint, TextStyle};
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
    let mut page = Page::new(width.max(TextStyle::NARROWEST), Paint::Plain);
    if board.others().all(|layer| layer.measured == 0) {
        page.paragraph(Ink::Plain, "", "Nothing was measured against the baseline.");
        return page.finish();
    }
    if let Some(notice) = crate::headline::simulated(board) {
        page.paragraph(Ink::Plain, "", &notice);
        page.gap();
    }
    let sections = [
        (Better::Higher, "HIGHER IS BETTER -> Higher ratio is better"),
        (Better::Lower, "LOWER IS BETTER -> Lower ratio is better"),
    ];
    for (better, title) in sections {
        let rows: Vec<&Row> = board.rows.iter().filter(|row| row.better == better).collect();
        if !rows.is_empty() {
            page.heading(title);
            ratios(&mut page, board, &rows);
        }
    }
    widths(&mut page, board);
    page.finish()
}

/// The measured layers with their place in every row's cells, as many side by side as fit.
fn parts(board: &Scoreboard, room: usize) -> Vec<Vec<(usize, &LayerSummary)>> {
    let shown: Vec<_> = board.others().enumerate().filter(|(_, l)| l.measured > 0).collect();
    shown.chunks(room.max(1)).map(<[_]>::to_vec).collect()
}

fn ratios(page: &mut Page, board: &Scoreboard, rows: &[&Row]) {
    let baseline = fit(&clean(&board.baseline), RATIO / 2 - 3);
    let shared: Vec<Vec<Untrusted>> =
        (0..board.others().count()).map(|at| words::shared(board, at)).collect();
    for layers in parts(board, (page.width - NAME.0) / RATIO) {
        let mut head = vec![String::new()];
        head.extend(
            layers
                .iter()
                .map(|(_, layer)| format!("{}/{baseline}", fit(&clean(&layer.name), RATIO / 2))),
        );
        let mut table: Vec<document::Row> = vec![head.into()];
        for (at, row) in rows.iter().enumerate() {
            if at == 0 || rows[at - 1].suite != row.suite {
                table.push(vec![words::name(&row.suite)].into());
            }
            table.push(ratio_line(row, &layers, &shared));
        }
        page.grid(&vec![Side::Left; layers.len() + 1], &table, NAME.0);
        page.gap();
    }
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

fn widths(page: &mut Page, board: &Scoreboard) {
    let confidence = words::percent_of(board.method.confidence);
    page.heading(&format!(
        "Width of the {confidence} confidence interval around the mean, in percent of the mean"
    ));
    let print = |width: Option<f64>| width.map_or_else(|| "–".into(), percent);
    for layers in parts(board, (page.width - NAME.0 - WIDTH) / WIDTH) {
        let mut names = vec![Untrusted::default(), board.baseline.clone()];
        names.extend(layers.iter().map(|(_, layer)| layer.name.clone()));
        let head: Vec<String> = names.iter().map(|n| fit(&clean(n), WIDTH - 2)).collect();
        let mut table: Vec<document::Row> = vec![head.into()];
        for row in &board.rows {
            let mut line = vec![fit(&clean(&row.benchmark), NAME.1)];
            line.push(print(row.baseline.and_then(|mean| mean.ci_width_percent)));
            let own = |at: usize| row.cells[at].mean.and_then(|mean| mean.ci_width_percent);
            line.extend(layers.iter().map(|(at, _)| print(own(*at))));
            table.push(line.into());
        }
        let mut sides = vec![Side::Right; names.len()];
        sides[0] = Side::Left;
        page.grid(&sides, &table, NAME.0);
        page.gap();
    }
    let present = |measure| board.rows.iter().any(|row| Measure::of(row.unit) == measure);
    let values = match (present(Measure::Path), present(Measure::Size)) {
        (true, _) => "instruction counts",
        (_, true) => "times, rates and sizes",
        _ => "times and rates",
    };
    let text = format!(
        "Means of {values} over blocks; the baseline's value in a block is the geometric mean of its two boots."
    );
    page.paragraph(Ink::Plain, "", &text);
}
