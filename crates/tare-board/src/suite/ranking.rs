//! Where to optimise: what a layer adds to each benchmark of a weighted suite, multiplied by how often the suite's mix
//! runs it, as report 002 ranked AIM7's tests.

use crate::board::{Row, Scoreboard, Verdict};
use crate::suite::load::plain;
use tare_proto::Unit;

/// What one benchmark adds on a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added<'a> {
    /// The benchmark's row.
    pub row: &'a Row,
    /// How often the mix does it.
    pub weight: f64,
    /// The baseline's mean over the blocks that have both, in nanoseconds.
    pub baseline: f64,
    /// The layer's, likewise.
    pub layer: f64,
    /// Whether the difference is shown.
    pub verdict: Verdict,
}

impl Added<'_> {
    /// Nanoseconds that the layer adds to the mix by it.
    pub fn total(&self) -> f64 {
        self.weight * (self.layer - self.baseline)
    }
}

/// The benchmarks with a weight on the layer at `column` among the others, those that add most first.
pub fn ranking(board: &Scoreboard, column: usize) -> Vec<Added<'_>> {
    let plain = plain(board.rows.iter().map(|row| row.benchmark.raw()));
    let rows =
        board.rows.iter().zip(plain).filter(|(row, plain)| *plain && row.unit == Unit::Nanoseconds);
    let added = rows.filter_map(|(row, _)| {
        let cell = row.cells.get(column)?;
        let (pair, verdict) = (cell.pair?, cell.verdict);
        let (baseline, layer) = (pair.baseline, pair.layer);
        Some(Added { row, weight: row.weight?, baseline, layer, verdict })
    });
    let mut all: Vec<Added> = added.collect();
    all.sort_by(|a, b| b.total().total_cmp(&a.total()));
    all
}

/// What all of them add together, and what the mix takes on the baseline, in nanoseconds.
pub fn sum(all: &[Added]) -> (f64, f64) {
    let baseline = all.iter().map(|one| one.weight * one.baseline).sum();
    (all.iter().map(Added::total).sum(), baseline)
}
