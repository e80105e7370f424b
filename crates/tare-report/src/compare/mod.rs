//! Comparisons written out: as text, Markdown and JSON.

mod json;
mod markdown;
pub(crate) mod sentences;
mod text;

pub use json::compare_json;
pub use markdown::compare_markdown;
pub use sentences::{UNTESTABLE, gate_lines};
pub use text::compare_text;
