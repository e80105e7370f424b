//! A paper's figures, what follows from them, and where its arithmetic is inconsistent.

use super::paragraph;
use crate::output;
use std::fmt::Write;
use tare_import::{FindingState, Paper, Row, Table, findings};

/// The whole paper as text.
pub(super) fn show(paper: &Paper) -> String {
    let mut text = String::new();
    paragraph(&mut text, "", &paper.title);
    paragraph(&mut text, "", &paper.source);
    text.push('\n');
    for line in &paper.configuration {
        paragraph(&mut text, "  ", line);
    }
    if !paper.tests.is_empty() {
        let tests = format!("{} tests: {}", paper.tests.len(), paper.tests.join(" "));
        text.push('\n');
        paragraph(&mut text, "", &tests);
    }
    for table in &paper.table {
        values(&mut text, table);
        ratios(&mut text, table);
    }
    let found = findings(paper);
    if !found.is_empty() {
        text += "\nrecomputed\n";
    }
    for finding in found {
        let mark = match finding.state {
            FindingState::Holds => "holds",
            FindingState::Fails => "DOES NOT HOLD",
            FindingState::Stated => "only stated",
        };
        paragraph(&mut text, "  ", &format!("{mark}: {}", finding.text));
    }
    text += "\nits questions\n";
    for question in &paper.question {
        paragraph(&mut text, "  ", &question.asks);
        paragraph(&mut text, "    ", &question.answer());
        question.by.iter().for_each(|command| text += &format!("      {command}\n"));
    }
    text
}

/// A table as published: a column a layer, and what else stands beside two of them.
fn values(text: &mut String, table: &Table) {
    let cell = |value: &f64| format!("{value}");
    let widest = table.rows.iter().flat_map(|row| &row.values).map(|value| cell(value).len());
    let heads = table.columns.iter().map(String::len);
    let width = widest.chain(heads).max().unwrap_or(0) + 2;
    let extra = table.rows.iter().map(|row| beside(row).len()).max().unwrap_or(0);
    let room = output::width().saturating_sub(2 + width * table.columns.len() + extra);
    let name = table.rows.iter().map(|row| label(row).chars().count()).max().unwrap_or(0);
    let name = name.min(room.max(20));
    let _ = write!(text, "\n{:1$}", table.name, name + 2);
    line(text, table.columns.iter().map(|column| format!("{column:>width$}")), "");
    for row in &table.rows {
        let _ = write!(text, "  {:name$.name$}", label(row));
        line(text, row.values.iter().map(|value| format!("{:>width$}", cell(value))), &beside(row));
    }
    if !table.score.is_empty() {
        let _ = write!(text, "  {:name$}", "score");
        line(text, table.score.iter().map(|value| format!("{:>width$}", cell(value))), "");
    }
}

fn label(row: &Row) -> String {
    if row.unit.is_empty() { row.name.clone() } else { format!("{}, {}", row.name, row.unit) }
}

/// The ratio and the widths of a row of two layers.
fn beside(row: &Row) -> String {
    let mut text = String::new();
    if let [base, value] = row.values[..] {
        let _ = write!(text, "  {:.3}", value / base);
    }
    if let [base, value] = row.width[..] {
        let _ = write!(text, "  widths {base}% {value}%");
    }
    text
}

/// Every layer's speed against the base, where there are more than two.
fn ratios(text: &mut String, table: &Table) {
    let Some(base) = table.base.as_deref().and_then(|base| table.column(base)) else { return };
    let columns = || (0..table.columns.len()).filter(|column| *column != base);
    let width = columns().map(|column| table.columns[column].len()).max().unwrap_or(0).max(6) + 2;
    let title = format!("  times the speed of {}", table.columns[base]);
    let name = table.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let name = name.max(title.len()).min(output::width().saturating_sub(2 + 3 * width));
    let _ = write!(text, "{title:0$}", name + 2);
    line(text, columns().map(|column| format!("{:>width$}", table.columns[column])), "");
    for row in &table.rows {
        let _ = write!(text, "  {:name$.name$}", row.name);
        let speed = |column: usize| {
            let ratio = row.values[column] / row.values[base];
            if row.better == "higher" { ratio } else { 1.0 / ratio }
        };
        line(text, columns().map(|column| format!("{:>width$.3}", speed(column))), "");
    }
    if let Some(below) = table.score.get(base) {
        let _ = write!(text, "  {:name$}", "score");
        line(text, columns().map(|at| format!("{:>width$.3}", table.score[at] / below)), "");
    }
}

fn line(text: &mut String, cells: impl Iterator<Item = String>, end: &str) {
    cells.for_each(|cell| *text += &cell);
    text.truncate(text.trim_end_matches(' ').len());
    let _ = writeln!(text, "{end}");
}
