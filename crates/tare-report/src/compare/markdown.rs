//! The Markdown form of a comparison, for a pull request.

use super::sentences::{columns, gate_lines, how, ratio_of, sentences, title};
use crate::markdown::{code, prose};
use crate::words::mark;
use std::fmt::Write;
use tare_board::Comparison;
use tare_board::Verdict;

/// Writes the comparison as GitHub's Markdown.
#[must_use]
pub fn compare_markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    let titles: Vec<String> = title(comparison).iter().map(|line| prose(line)).collect();
    let _ = writeln!(out, "**{}**  \n{}\n", titles[0], titles[1..].join("  \n"));
    if let Some(gate) = &comparison.gate {
        for (passed, line) in gate_lines(gate) {
            let line = prose(&line);
            let _ = writeln!(out, "- {}", if passed { line } else { format!("**{line}**") });
        }
        out.push('\n');
    }
    for layer in &comparison.layers {
        let said: Vec<String> =
            sentences(comparison, layer).iter().map(|(_, text)| prose(text)).collect();
        let _ = writeln!(out, "- {}: {}", code(&layer.name), said.join("; "));
    }
    out.push('\n');
    decided(&mut out, comparison);
    let _ = writeln!(out, "<details><summary>All rows, and how they were made</summary>\n");
    for line in how(comparison) {
        let _ = writeln!(out, "{}\n", prose(&line));
    }
    for difference in &comparison.differences {
        let layer = difference.layer.as_ref().map(|l| format!("{}: ", code(l)));
        let _ = writeln!(out, "- {}{}", layer.unwrap_or_default(), prose(&difference.text));
    }
    for layer in &comparison.layers {
        let _ = writeln!(
            out,
            "\n| {} | ratio | CI | floor | after/before | verdict |\n|:--|--:|:--|--:|--:|:--|",
            code(&layer.name)
        );
        for row in &layer.rows {
            let cells =
                columns(row, comparison.by, comparison.method.margin).map(|cell| prose(&cell));
            let _ = writeln!(out, "| {} | {} |", code(&row.benchmark), cells.join(" | "));
        }
    }
    let _ = writeln!(out, "\n</details>");
    out
}

/// The rows that are called different, in sight.
fn decided(out: &mut String, comparison: &Comparison) {
    let called = |verdict: Verdict| matches!(verdict, Verdict::Worse | Verdict::Better);
    let rows: Vec<_> = comparison.rows().filter(|(_, row)| called(row.verdict)).collect();
    if rows.is_empty() {
        let _ = writeln!(out, "No row is called different.\n");
        return;
    }
    let _ = writeln!(out, "| layer | benchmark | after / before |\n|:--|:--|--:|");
    for (layer, row) in rows {
        let ratio = ratio_of(row.ratio);
        let (layer, bench) = (code(&layer.name), code(&row.benchmark));
        let _ = writeln!(out, "| {layer} | {bench} | {ratio} {} |", mark(row.verdict));
    }
    out.push('\n');
}
