//! Load curves as tables: a line a load, a column a layer.

use crate::clean::{clean, fit};
use crate::document::{Block, Column, Ink, Piece, Place, Row, Section, Table, paragraphs};
use crate::words;
use tare_board::format::{percent, quantity};
use tare_board::load::{Family, LoadCurve, curve, families};
use tare_board::{LayerSummary, Scoreboard};
use tare_proto::Unit;

/// Columns of the load's, and of one layer.
const LOAD: usize = 6;
const COLUMN: usize = 16;
/// Most columns of a name.
const NAME: usize = 32;

/// What the tables of each kind show.
const THROUGHPUT: &str = "Total throughput of all copies or users, and its efficiency: at 100% throughput grows in proportion to the \
                          load. ^ marks the peak, x the first load with no more jobs a minute than users (AIM's crossover).";
const LATENCY: &str = "Times of a request at each rate, in requests a second.";

/// A table a benchmark that was measured at several loads.
pub(super) fn curves(board: &Scoreboard) -> Option<Section> {
    let measured = |family: &&Family| {
        let points = |layer| curve(board, family, layer).points.len();
        (0..board.layers.len()).any(|layer| points(layer) > 1)
    };
    let families = families(board);
    let is_latency = |family: &Family| family.unit == Unit::Nanoseconds;
    let mut texts = Vec::new();
    if !families.iter().all(is_latency) {
        texts.push(THROUGHPUT.to_owned());
    }
    if families.iter().any(is_latency) {
        texts.push(LATENCY.to_owned());
    }
    let mut blocks = paragraphs(Ink::Dim, texts);
    let tables = families.iter().filter(measured).map(|family| Block::Table(table(board, family)));
    blocks.extend(tables);
    blocks
        .iter()
        .any(|block| matches!(block, Block::Table(_)))
        .then(|| Section::new(Place::Tables, "Load curves", blocks))
}

fn table(board: &Scoreboard, family: &Family) -> Table {
    let measured = |layer: &&LayerSummary| layer.measured > 0;
    let mut columns = vec![Column::numbers("load")];
    let layers = board.layers.iter().filter(measured);
    columns.extend(layers.map(|layer| Column::layer(words::name(&layer.name), COLUMN)));
    let layers = board.layers.iter().enumerate().filter(|(_, layer)| measured(layer));
    let curves: Vec<LoadCurve> = layers.map(|(at, _)| curve(board, family, at)).collect();
    let row = |(load, _): &(u32, usize)| -> Row {
        let mut line = vec![Piece::new(Ink::Plain, load.to_string())];
        line.extend(curves.iter().map(|curve| point(family, curve, f64::from(*load))));
        line.into()
    };
    let rows = family.rows.iter().map(row).collect();
    let title = fit(&clean(family.name), NAME);
    Table { title, ..Table::new(LOAD, columns, rows) }
}

/// What was done at a load, and how efficiently.
fn point(family: &Family, curve: &LoadCurve, load: f64) -> Piece {
    let Some(point) = curve.points.iter().find(|point| point.load == load) else {
        return Piece::new(Ink::Dim, "–");
    };
    let mark = match Some(load) {
        load if load == curve.crossover(family.unit) => "x",
        load if load == curve.peak() => "^",
        _ => " ",
    };
    let value = quantity(family.unit, point.value);
    let also = curve.efficiency(point).map_or("–".into(), |part| percent(100.0 * part));
    Piece { also, ..Piece::new(Ink::Plain, format!("{value}{mark}")) }
}
