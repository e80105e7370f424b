//! The scoreboard as a document, section by section.

mod details;
mod document;
mod loads;
mod matrix;
mod provenance;
mod trouble;

pub(crate) use document::document;

use crate::TextStyle;
use tare_board::Scoreboard;

/// Writes the scoreboard for a terminal.
#[must_use]
pub fn text(board: &Scoreboard, style: &TextStyle) -> String {
    crate::text::written(&document(board), style)
}

/// Writes the scoreboard as GitHub's Markdown.
#[must_use]
pub fn markdown(board: &Scoreboard) -> String {
    crate::markdown::written(&document(board))
}
