//! The result of many hosts: worded in `sentences.rs`, put together in `document.rs`.

mod csv;
mod document;
mod json;
pub(crate) mod sentences;

pub use csv::fleet_csv;
pub(crate) use document::document;
pub use json::fleet_json;

use crate::{TextStyle, markdown, text};
use tare_board::Fleet;

/// Writes the result of many hosts for a terminal.
pub fn fleet_text(fleet: &Fleet, style: &TextStyle) -> String {
    text::written(&document(fleet), style)
}

/// Writes the result of many hosts as GitHub's Markdown.
pub fn fleet_markdown(fleet: &Fleet) -> String {
    markdown::written(&document(fleet))
}
