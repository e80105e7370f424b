//! The JSON form: the scoreboard as it is, with its format's name and version.

use serde::Serialize;
use tare_board::Scoreboard;
use tare_proto::steers;

/// The version of the JSON form; it grows when a field changes its meaning or goes away.
const VERSION: u32 = 1;

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
/// is no NaN and no infinity. `verdict` is `slower`, `faster`, `equivalent`, `undecided` or `none` (of two
/// campaigns also `identical`), about cost, whichever way the unit points; of memory, too, and of instructions: the measure that a
/// unit stands for decides the words in prose, never here. Blocks count from 0, as in the campaign's file. Fields may be added within a
/// version.
pub fn json(board: &Scoreboard) -> String {
    let document = Document { format: "tare-scoreboard", version: VERSION, board };
    json_text(&document)
}

/// `value` as indented JSON and the end of a line. What a terminal or a reader's eye would obey or not see (C1 controls, DEL, marks
/// that turn the writing direction, invisible ones) is escaped, and decodes to the same text.
///
/// `value` must be one that cannot fail to serialise: keys are strings. NaN becomes `null`.
pub fn json_text(value: &impl Serialize) -> String {
    escaped(serde_json::to_string_pretty(value).unwrap_or_default()) + "\n"
}

/// [`json_text`] on one line, without its end.
pub fn json_line(value: &impl Serialize) -> String {
    escaped(serde_json::to_string(value).unwrap_or_default())
}

/// JSON itself is ASCII: such characters stand in its strings only, C0 controls escaped already.
fn escaped(json: String) -> String {
    let harmful = |c: char| steers(c) && c != '\n';
    if !json.contains(harmful) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        match harmful(c) {
            true => {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units).iter();
                out.extend(units.map(|unit| format!("\\u{unit:04x}")));
            }
            false => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_nothing_that_a_terminal_obeys_and_decodes_to_the_same_text() {
        let text = "a\u{1b}[2J\u{7f}\u{85}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{200b}\u{feff}\u{e0041}\n\"\\ é 漢 שלום";
        let value = vec![text];
        for json in [json_text(&value), json_line(&value)] {
            assert!(!json.trim_end().contains(|c: char| steers(c) && c != '\n'), "{json:?}");
            assert!(json.contains("é 漢 שלום") && json.contains("\\u009b31m"), "{json}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), value);
        }
    }
}
