//! The forms that a scoreboard is printed in, and their table: the only list of them. A new one is a file and a row.

use crate::TextStyle;
use crate::compare::{compare_json, compare_markdown, compare_text};
use crate::csv::csv;
use crate::fleet::{fleet_csv, fleet_json, fleet_markdown, fleet_text};
use crate::json::json;
use crate::scoreboard::{markdown, text};
use tare_board::{Comparison, Fleet, Scoreboard};

/// A form of the scoreboard.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What `--format` takes.
    pub name: &'static str,
    /// Whom it is for.
    pub about: &'static str,
    /// The file that a finished campaign leaves of it in its folder, if any.
    pub file: Option<&'static str>,
    /// Writes a scoreboard; only forms for terminals have a style.
    pub board: fn(&Scoreboard, &TextStyle) -> String,
    /// Writes a comparison of two campaigns, where the form has one.
    pub comparison: Option<fn(&Comparison, &TextStyle) -> String>,
    /// Writes the result of many hosts.
    pub fleet: fn(&Fleet, &TextStyle) -> String,
}

/// Every form, the usual one first.
pub const FORMS: &[Form] = &[
    Form {
        name: "text",
        about: "for people at a terminal",
        file: Some("scoreboard.txt"),
        board: text,
        comparison: Some(compare_text),
        fleet: fleet_text,
    },
    Form {
        name: "json",
        about: "for programs",
        file: Some("scoreboard.json"),
        board: |board, _| json(board),
        comparison: Some(|comparison, _| compare_json(comparison)),
        fleet: |fleet, _| fleet_json(fleet),
    },
    Form {
        name: "csv",
        about: "one line for each benchmark and layer",
        file: None,
        board: |board, _| csv(board),
        comparison: None,
        fleet: |fleet, _| fleet_csv(fleet),
    },
    Form {
        name: "md",
        about: "Markdown, for a pull request or mail",
        file: Some("scoreboard.md"),
        board: |board, _| markdown(board),
        comparison: Some(|comparison, _| compare_markdown(comparison)),
        fleet: |fleet, _| fleet_markdown(fleet),
    },
];
