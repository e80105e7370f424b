//! Where to optimise: a table per layer, largest addition first; only for suites whose benchmarks have weights.

use super::common::swatch;
use super::document;
use crate::document::Table;
use crate::ranking::{NOTE, rankings, sentence, table};
use crate::words;
use maud::{Markup, html};
use tare_board::Scoreboard;

/// Benchmarks that are shown of a layer.
const SHOWN: usize = 12;

/// Whether there is anything to rank.
pub(super) fn any(board: &Scoreboard) -> bool {
    board.rows.iter().any(|row| row.weight.is_some())
}

pub(super) fn section(board: &Scoreboard) -> Markup {
    html! {
        @if any(board) {
            section #optimise aria-labelledby="h-optimise" {
                h2 #h-optimise { "Where to optimise" }
                p.quiet { (NOTE) }
                div.figures {
                    @for (at, layer, all) in rankings(board) {
                        div { h3 { (swatch(at + 1)) " " bdi { (words::name(&layer.name)) } }
                            (document::plain(&Table { title: sentence(&all), ..table(&all, SHOWN) })) }
                    }
                }
            }
        }
    }
}
