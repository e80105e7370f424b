//! The Markdown form of the result of many hosts.

use super::sentences::{columns, how, missing, outliers, sentences, title, titles};
use crate::markdown::{code, prose};
use std::fmt::Write;
use tare_board::Fleet;

/// Writes the result as GitHub's Markdown.
#[must_use]
pub fn fleet_markdown(fleet: &Fleet) -> String {
    let mut out = format!("**{}**\n\n", prose(&title(fleet)));
    for line in missing(fleet).iter().chain(&fleet.warnings) {
        let _ = writeln!(out, "- **{}**", prose(line));
    }
    for layer in &fleet.layers {
        let said: Vec<String> =
            sentences(fleet, layer).iter().map(|(_, text)| prose(text)).collect();
        let _ = writeln!(out, "- {}: {}", code(&layer.name), said.join("; "));
    }
    for line in outliers(fleet) {
        let _ = writeln!(out, "- {}", prose(&line));
    }
    let _ = writeln!(out, "\n<details><summary>All rows, and how they were made</summary>\n");
    for line in how(fleet) {
        let _ = writeln!(out, "{}\n", prose(&line));
    }
    for (at, layer) in fleet.layers.iter().enumerate() {
        let titles = titles(fleet).map(|title| prose(&title)).join(" | ");
        let _ =
            writeln!(out, "\n| {} | {titles} |\n|:--|--:|:--|:--|--:|--:|:--|", code(&layer.name));
        for row in &fleet.rows {
            let cells = columns(row, &row.cells[at], fleet.method.margin).map(|cell| prose(&cell));
            let _ = writeln!(out, "| {} | {} |", code(&row.benchmark), cells.join(" | "));
        }
    }
    let _ = writeln!(out, "\n</details>");
    out
}
