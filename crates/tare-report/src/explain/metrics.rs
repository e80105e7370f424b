//! The tables of reports 001 and 002 for a terminal, 80 columns: the metrics of one benchmark, the factors of one layer.

use super::text::{count, figures};
use crate::clean::clean;
use crate::document::{
    Block, Column, Document, Ink, Piece, Place, Row, Section, Table, paragraphs,
};
use crate::text::{ON_PAPER, written};
use crate::words;
use tare_board::format::{digits, short_ratio};
use tare_board::{FactorRow, Factors, Metric, Metrics};

/// Fewest columns of a metric's name, and those of a layer's figure with its ratio to the baseline's.
const METRIC: usize = 28;
const LAYER: usize = 17;
/// Fewest columns of a benchmark's name.
const BENCHMARK: usize = 25;

/// What stands where nothing was counted.
const NONE: &str = "-";

/// The table of one benchmark.
#[must_use]
pub fn metrics_text(metrics: &Metrics) -> String {
    let mut columns = vec![Column::words("metric"), figures(&metrics.layers[0])];
    let others = metrics.layers.iter().skip(1);
    columns.extend(others.map(|layer| Column::layer(words::name(layer), LAYER)));
    let row = |line: &Metric| -> Row {
        let baseline = line.values[0].map_or(NONE.into(), count);
        let mut cells = Vec::from([line.name.clone(), baseline].map(|t| Piece::new(Ink::Plain, t)));
        let others = line.values.iter().skip(1);
        cells.extend(others.map(|value| beside(*value, line.values[0])));
        cells.into()
    };
    let table = Table::new(METRIC, columns, metrics.metrics.iter().map(row).collect());
    text(Table { title: clean(&metrics.benchmark), ..table }, &metrics.note)
}

/// A layer's figure, and how many times the baseline's it is.
fn beside(value: Option<f64>, baseline: Option<f64>) -> Piece {
    let ratio = value.zip(baseline).filter(|(_, base)| *base != 0.0);
    let also = ratio.map_or(NONE.into(), |(value, base)| format!("×{}", short_ratio(value / base)));
    Piece { also, ..Piece::new(Ink::Plain, value.map_or(NONE.into(), count)) }
}

/// The table of one layer.
#[must_use]
pub fn factors_text(factors: &Factors) -> String {
    let [layer, baseline] = [&factors.layer, &factors.baseline].map(words::name);
    let mut columns = vec![Column::words("benchmark")];
    columns.extend(factors.columns.iter().map(Column::numbers));
    let row = |FactorRow { benchmark, ratios }: &FactorRow| -> Row {
        let mut cells = vec![clean(benchmark)];
        cells.extend(ratios.iter().map(|ratio| ratio.map_or(NONE.into(), digits)));
        cells.into()
    };
    let table = Table::new(BENCHMARK, columns, factors.rows.iter().map(row).collect());
    text(Table { title: format!("{layer} / {baseline}, per operation"), ..table }, "")
}

fn text(table: Table, note: &str) -> String {
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(paragraphs(Ink::Dim, vec![clean(note)]));
    let sections = vec![Section::new(Place::Board, "", blocks)];
    written(&Document { title: String::new(), sections }, &ON_PAPER)
}
