//! Explanations for a terminal, and their tables.

use crate::clean::clean;
use crate::document::{self, Column};
use crate::words;
use std::fmt::Write;
use tare_board::format::{digits, short_ratio};
use tare_board::{Explanation, Table, TableLine};

/// Columns of a line's name.
const NAME: usize = 46;

/// One explanation for a terminal, 80 columns.
fn explanation_text(e: &Explanation) -> String {
    let bench = clean(&e.benchmark);
    let layer = words::name(&e.layer);
    let baseline = words::name(&e.baseline);
    let mut text = format!("{bench}: {layer} against {baseline} × {}\n", short_ratio(e.ratio));
    wrapped(&mut text, "  ", &e.sentence);
    for table in &e.tables {
        let _ = write!(text, "\n  {:NAME$} {:>9} {:>9}", table.title, cut(&baseline), cut(&layer));
        text.push_str(if table.shares { "   share\n" } else { "\n" });
        for line in &table.lines {
            let _ = writeln!(text, "{}", text_line(line).trim_end());
        }
    }
    for note in &e.notes {
        text.push('\n');
        wrapped(&mut text, "  ", note);
    }
    text
}

/// All explanations for a terminal. What they have in common is said once, and so is why nothing was counted.
pub fn explanations_text(all: &[Explanation]) -> String {
    let (counted, bare): (Vec<&Explanation>, Vec<&Explanation>) =
        all.iter().partition(|e| !e.tables.is_empty());
    let several = counted.len() > 1;
    let shared = |note: &&String| several && counted.iter().all(|e| e.notes.contains(note));
    let common: Vec<&String> =
        counted.first().map_or_else(Vec::new, |e| e.notes.iter().filter(shared).collect());
    let own = |e: &Explanation| {
        let notes = e.notes.iter().filter(|note| !common.contains(note)).cloned().collect();
        explanation_text(&Explanation { notes, ..e.clone() })
    };
    let mut texts: Vec<String> = counted.iter().map(|e| own(e)).collect();
    if !common.is_empty() {
        let mut text = "All of them:\n".to_owned();
        common.iter().for_each(|note| wrapped(&mut text, "  ", note));
        texts.push(text);
    }
    texts.extend(uncounted(&bare, all.len()));
    texts.join("\n")
}

/// The ratios beside which nothing was counted.
fn uncounted(bare: &[&Explanation], all: usize) -> Option<String> {
    let first = match bare {
        [] => return None,
        [one] => return Some(explanation_text(one)),
        [first, ..] => first,
    };
    let which = if bare.len() == all { "all".into() } else { format!("{} of", bare.len()) };
    let bench = clean(&first.benchmark);
    let layer = words::name(&first.layer);
    let mut text = String::new();
    wrapped(
        &mut text,
        "",
        &format!("Not split: {which} {all} ratios, for example {bench} on {layer}."),
    );
    let mut said: Vec<&String> = Vec::new();
    for sentence in bare.iter().flat_map(|e| [&e.sentence].into_iter().chain(&e.notes)) {
        if !said.contains(&sentence) {
            said.push(sentence);
            wrapped(&mut text, "  ", sentence);
        }
    }
    Some(text)
}

fn text_line(line: &TableLine) -> String {
    let share = line.share.map_or(String::new(), |share| format!("{:>7}", percent(share)));
    let name = clean(&line.name);
    let baseline = count(line.baseline);
    let layer = count(line.layer);
    format!("    {name:width$} {baseline:>9} {layer:>9} {share}", width = NAME - 2)
}

/// A share in whole percents, never `-0%`.
fn percent(share: f64) -> String {
    format!("{:.0}%", share.round() + 0.0)
}

/// A name in nine columns.
pub(super) fn cut(name: &str) -> String {
    name.chars().take(9).collect()
}

/// A count: whole digits while they fit.
pub(super) fn count(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        v if v.abs() >= 1e9 => format!("{v:.2e}"),
        v if v.abs() >= 999.5 => format!("{v:.0}"),
        v => digits(v),
    }
}

pub(super) fn wrapped(text: &mut String, indent: &str, words: &str) {
    let mut column = 0;
    for word in clean(words).split_whitespace() {
        if column > 0 && column + 1 + word.chars().count() > 80 {
            text.push('\n');
            column = 0;
        }
        let lead = if column == 0 { indent } else { " " };
        text.push_str(lead);
        text.push_str(word);
        column += lead.len() + word.chars().count();
    }
    text.push('\n');
}

/// A table of counts: the baseline's, the layer's, and the share that each has of the difference.
pub(crate) fn table(e: &Explanation, counted: &Table) -> document::Table {
    let mut columns = vec![Column::words("What")];
    columns.extend([&e.baseline, &e.layer].map(|layer| Column::numbers(words::name(layer))));
    if counted.shares {
        columns.push(Column::numbers("Share of the difference"));
    }
    let row = |line: &TableLine| {
        let mut cells = vec![clean(&line.name), count(line.baseline), count(line.layer)];
        if counted.shares {
            cells.push(line.share.map(percent).unwrap_or_default());
        }
        cells.into()
    };
    let rows = counted.lines.iter().map(row).collect();
    let title = counted.title.clone();
    document::Table { title, ..document::Table::new(NAME, columns, rows) }
}
