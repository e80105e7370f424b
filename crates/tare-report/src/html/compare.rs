//! A comparison as part of a page: for every layer its sentences, and a table with its ratios drawn.

use super::document;
use crate::compare;
use crate::document::Place;
use crate::svg::figure::forest::Strip;
use crate::words;
use maud::{Markup, html};
use tare_board::{ComparedLayer, ComparedRow, Comparison};
use tare_proto::Better;

/// Writes a comparison for a page that [`super::shell`] stands around.
pub fn compare_html(comparison: &Comparison) -> Markup {
    let said = compare::document(comparison);
    let strips: Vec<_> =
        comparison.layers.iter().enumerate().map(|(at, layer)| strips(at, layer)).collect();
    html! {
        (document::statements(said.blocks(Place::Summary)))
        @if !comparison.differences.is_empty() { h3 { "What else differs" } }
        (document::statements(said.blocks(Place::Differences)))
        (document::quiet(said.blocks(Place::Method)))
        (document::layers(&said, &strips, comparison.method.margin, "After / before"))
    }
}

fn strips(at: usize, layer: &ComparedLayer) -> Vec<(Better, Strip)> {
    let strip = |row: &ComparedRow| Strip {
        marks: vec![(at + 1, row.ratio.map(|ratio| words::cost_of(ratio, row.better)))],
        floor: row.floor,
    };
    layer.rows.iter().map(|row| (row.better, strip(row))).collect()
}
