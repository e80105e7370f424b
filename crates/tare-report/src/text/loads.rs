//! Load curves and the ranking of a weighted suite, as tables.

use super::page::Page;
use crate::clean::{clean, fit};
use crate::document::{Column, Ink, Piece, Row, Table};
use crate::{ranking, words};
use tare_board::format::{percent, quantity};
use tare_board::load::{Family, curve, families};
use tare_board::{LayerSummary, Scoreboard};

/// Columns of the load's, and of one layer with the gap before it.
const LOAD: usize = 8;
const COLUMN: usize = 18;
/// Benchmarks that a ranking shows.
const SHOWN: usize = 8;
/// Most columns of a name.
const NAME: usize = 32;

/// A table a benchmark that was measured at several loads.
pub(super) fn curves(page: &mut Page, board: &Scoreboard) {
    let measured = |family: &Family| {
        let points = |layer| curve(board, family, layer).points.len();
        (0..board.layers.len()).any(|layer| points(layer) > 1)
    };
    let families: Vec<Family> = families(board).into_iter().filter(measured).collect();
    if families.is_empty() {
        return;
    }
    page.heading("Load curves");
    let text = "Total throughput of all copies or users, and its efficiency: at 100% throughput grows in proportion to the \
                load. ^ marks the peak, x the first load with no more jobs a minute than users (AIM's crossover).";
    page.paragraph(Ink::Dim, "", text);
    for family in &families {
        one(page, board, family);
    }
}

fn one(page: &mut Page, board: &Scoreboard, family: &Family) {
    let measured = |layer: &LayerSummary| layer.measured > 0;
    let layers: Vec<usize> =
        (0..board.layers.len()).filter(|&at| measured(&board.layers[at])).collect();
    let fit_in = (page.width.saturating_sub(LOAD) / COLUMN).max(1);
    let parts = layers.len().div_ceil(fit_in).max(1);
    for part in layers.chunks(layers.len().div_ceil(parts).max(1)) {
        page.gap();
        page.paragraph(Ink::Bold, "", &fit(&clean(family.name), NAME));
        let name = |&at: &usize| fit(&words::name(&board.layers[at].name), COLUMN - 2);
        let mut columns = vec![Column::numbers("load")];
        columns.extend(part.iter().map(|at| Column::numbers(name(at))));
        let mut rows: Vec<Row> = Vec::new();
        let curves: Vec<_> = part.iter().map(|&layer| curve(board, family, layer)).collect();
        for (load, _) in &family.rows {
            let mut line = vec![Piece::new(Ink::Plain, load.to_string())];
            line.extend(curves.iter().map(|curve| {
                let Some(point) = curve.points.iter().find(|p| p.load == f64::from(*load)) else {
                    return Piece::new(Ink::Dim, "–");
                };
                let mark = match Some(point.load) {
                    load if load == curve.crossover(family.unit) => "x",
                    load if load == curve.peak() => "^",
                    _ => " ",
                };
                let part =
                    curve.efficiency(point).map_or("–".into(), |part| percent(100.0 * part));
                let value = quantity(family.unit, point.value);
                Piece::new(Ink::Plain, format!("{value}{mark} {part:>4}"))
            }));
            rows.push(line.into());
        }
        page.table(&Table::new(LOAD - 2, columns, rows));
    }
}

/// What to look at first on each layer.
pub(super) fn rankings(page: &mut Page, board: &Scoreboard) {
    for (place, (_, layer, all)) in ranking::rankings(board).enumerate() {
        if place == 0 {
            page.heading("Where to optimise");
            page.paragraph(Ink::Dim, "", ranking::NOTE);
        }
        page.gap();
        let label = format!("{}: ", words::name(&layer.name));
        page.labelled(&label, Ink::Plain, &ranking::sentence(&all));
        page.table(&ranking::table(&all, SHOWN));
    }
}
