//! What several parts of the page draw: a series' colour, a verdict's class, the columns.

use crate::document::Ink;
use crate::svg::marks;
use maud::{Markup, html};
use tare_board::{LayerSummary, Scoreboard};

/// A series' mark, as everywhere on the page.
pub(super) fn swatch(series: usize) -> Markup {
    html! {
        svg.swatch width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true" {
            g class=(marks::class(series)) { path.dot d=(marks::shape(series)) {} }
        }
    }
}

/// The class of what a verdict, a statement or a cell comes to.
pub(super) fn class(ink: impl Into<Ink>) -> &'static str {
    match ink.into() {
        Ink::Worse | Ink::Failed => "worse",
        Ink::Better => "better",
        Ink::Equivalent => "equivalent",
        Ink::Plain | Ink::Bold => "plain",
        Ink::Caution => "undecided",
        Ink::Dim => "none",
    }
}

/// The layers that have a column, with their places among the others: all but those that cannot run here.
pub(super) fn shown(board: &Scoreboard) -> impl Iterator<Item = (usize, &LayerSummary)> {
    let able = |layer: &LayerSummary| layer.unavailable.is_none() || layer.measured > 0;
    board.others().enumerate().filter(move |(_, layer)| able(layer))
}
