//! The JSON form of a comparison.

use crate::json::json_text;
use serde::Serialize;
use tare_board::Comparison;

/// Writes the comparison as JSON: `{"format": "tare-comparison", "version": 1, ...}`, the fields of [`Comparison`],
/// by the same conventions as [`crate::json`].
pub fn compare_json(comparison: &Comparison) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        version: u32,
        #[serde(flatten)]
        comparison: &'a Comparison,
    }
    let document = Document { format: "tare-comparison", version: 1, comparison };
    json_text(&document)
}
