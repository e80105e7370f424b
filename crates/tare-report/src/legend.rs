//! What to know of a scoreboard's rows before their figures are read.

use crate::words::name;
use std::collections::BTreeSet;
use tare_board::format::short_ratio;
use tare_board::{LayerSummary, Row, Scoreboard};

/// What to know of rows and their geometric means: how many blocks a row rests on, benchmarks at several loads, and what the
/// means leave out.
pub(crate) fn about_rows(board: &Scoreboard) -> String {
    let mut text = ends(board).unwrap_or_default();
    if !tare_board::load::families(board).is_empty() {
        text += "Geometric means are over each benchmark's smallest load. ";
    }
    if board.geomeans.iter().any(|mean| mean.subtracted > 0) {
        text += "Geometric means leave out rows where most of the measurement is subtracted. ";
    }
    text
}

/// Why rows rest on different numbers of blocks: a time budget goes to those that are still uncertain.
fn ends(board: &Scoreboard) -> Option<String> {
    let cells = board.rows.iter().flat_map(|row| &row.cells);
    let blocks: BTreeSet<usize> = cells.filter_map(|cell| Some(cell.ratio?.blocks)).collect();
    let fewest = blocks.first()?;
    let most = blocks.last()?;
    (fewest < most && board.counts.planned_blocks.is_none()).then(|| {
        format!("A row ends when its interval is narrow, here after {fewest} to {most} blocks. ")
    })
}

/// Rows of which most is subtracted, layer by layer, each with the ratio of the whole operations.
pub(crate) fn mostly_subtracted(board: &Scoreboard) -> Option<String> {
    let of = |(at, layer): (usize, &LayerSummary)| {
        let row = |row: &Row| {
            let ratio = row.cells[at].ratio?;
            let whole = row.cells[at].subtracted?.whole;
            let benchmark = name(&row.benchmark);
            Some(format!(
                "{benchmark} {}, whole operation {}",
                short_ratio(ratio.value),
                short_ratio(whole.value)
            ))
        };
        let rows: Vec<String> = board.rows.iter().filter_map(row).collect();
        (!rows.is_empty()).then(|| format!("{}: {}", name(&layer.name), rows.join("; ")))
    };
    let layers: Vec<String> = board.others().enumerate().filter_map(of).collect();
    let what = "In these rows (*) most of the measurement is subtracted. They are never called faster, and get another verdict \
                only where the whole operation shows it too.";
    (!layers.is_empty()).then(|| format!("{what} {}.", layers.join(". ")))
}
