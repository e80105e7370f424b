//! The result of many hosts written out: as text, Markdown, JSON and CSV.

mod csv;
mod json;
mod markdown;
pub(crate) mod sentences;
mod text;

pub use csv::fleet_csv;
pub use json::fleet_json;
pub use markdown::fleet_markdown;
pub use text::fleet_text;
