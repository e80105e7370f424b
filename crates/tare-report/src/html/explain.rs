//! What explains the ratios of a benchmark, layer by layer.

use super::document;
use crate::clean::clean;
use crate::explain::table;
use crate::svg::figure::parts;
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::format::short_ratio;
use tare_board::{Explanation, Scoreboard, explain};
use tare_store::Campaign;

/// What is known of every layer's ratio in benchmark number `bench`.
pub(super) fn explanations(campaign: &Campaign, board: &Scoreboard, bench: usize) -> Markup {
    let layers = board.others().map(|layer| layer.name.clone());
    let all = layers.filter_map(|layer| explain(campaign, board, bench, layer.raw()));
    let all: Vec<Explanation> = all.filter(|e| !e.tables.is_empty()).collect();
    html! {
        @for e in &all {
            h4 { bdi { (words::name(&e.layer)) } " × " (short_ratio(e.ratio)) ": why" }
            p { (clean(&e.sentence)) }
            @if let Some(seen) = &e.outside { (PreEscaped(parts::figure(e, seen))) }
            @for counted in &e.tables { (document::plain(&table([&e.baseline, &e.layer], counted))) }
            @for note in &e.notes { p.quiet { (clean(note)) } }
        }
    }
}
