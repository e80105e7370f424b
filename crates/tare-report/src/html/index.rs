//! The indices of suites that publish a baseline.

use super::document;
use crate::index;
use maud::{Markup, html};
use tare_board::Scoreboard;

pub(super) fn section(board: &Scoreboard) -> Markup {
    html! {
        @if !board.indices.is_empty() {
            section.index { h2 { "Indices" } @for found in index::tables(board) { (document::plain(&found)) } }
        }
    }
}
