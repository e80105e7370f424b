//! Comparisons: worded in `sentences.rs`, put together in `document.rs`.

mod document;
mod json;
mod sentences;

pub(crate) use document::document;
pub use json::compare_json;
pub use sentences::{UNTESTABLE, gate_lines};

use crate::{TextStyle, markdown, text};
use tare_board::Comparison;

/// Writes the comparison for a terminal.
pub fn compare_text(comparison: &Comparison, style: &TextStyle) -> String {
    text::written(&document(comparison), style)
}

/// Writes the comparison as GitHub's Markdown, for a pull request.
pub fn compare_markdown(comparison: &Comparison) -> String {
    markdown::written(&document(comparison))
}
