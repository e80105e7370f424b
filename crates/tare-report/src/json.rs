//! The JSON form: the scoreboard as it is, with its format's name and version.

use serde::Serialize;
use tare_board::Scoreboard;

/// The version of the JSON form; it grows when a field changes its meaning or goes away.
const VERSION: u32 = 1;

/// Name, version, scoreboard.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    board: &'a Scoreboard,
}

/// Writes the scoreboard as JSON.
///
/// The top level is `{"format": "tare-scoreboard", "version": 1, ...}` followed by the fields of [`Scoreboard`],
/// with the names and meanings that its types document. Ratios are plain numbers (1.02), intervals have `low` and
/// `high`, values are in the row's `unit` (`nanoseconds`, `bytes`, `per_second`; `instructions` when `provenance.machine` is `sim`). What is not known is `null`; there
/// is no NaN and no infinity. `verdict` is `worse`, `better`, `equivalent`, `undecided` or `none`, about cost,
/// whichever way the unit points. Blocks count from 0, as in the campaign's file. Fields may be added within a
/// version.
#[must_use]
pub fn json(board: &Scoreboard) -> String {
    let document = Document { format: "tare-scoreboard", version: VERSION, board };
    // Every key is a string and nothing here can fail to serialise; serde_json turns NaN into null.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
