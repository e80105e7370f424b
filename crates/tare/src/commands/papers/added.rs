//! What a paper reports other than ratios: the time that a layer adds to a test, and tests that it only names.

use super::paragraph;
use std::fmt::Write;
use tare_board::Scoreboard;
use tare_import::{Paper, Table};
use tare_proto::Unit;
use tare_report::clean;

/// A benchmark with the paper's added time and the campaign's, in the paper's unit.
pub(super) struct Added {
    name: String,
    unit: String,
    published: Vec<f64>,
    here: f64,
}

/// The rows of a table of added times that the campaign has for its layer `at`.
pub(super) fn rows(table: &Table, board: &Scoreboard, at: usize) -> Vec<Added> {
    let one = |row: &tare_import::Row| {
        let names = board.rows.iter().map(|own| own.benchmark.raw());
        let own = &board.rows[row.found_in(names)?];
        let pair = own.cells[at].pair?;
        let nanoseconds = match row.unit.as_str() {
            "ms" => 1e6,
            "us" => 1e3,
            "s" => 1e9,
            _ => return None,
        };
        let added = (pair.layer - pair.baseline) / nanoseconds;
        let name = clean(&own.benchmark);
        let unit = row.unit.clone();
        let published = row.values.clone();
        (own.unit == Unit::Nanoseconds).then_some(Added { name, unit, published, here: added })
    };
    table.rows.iter().filter_map(one).collect()
}

/// Such a table beside the campaign's; empty when it has none of its rows.
pub(super) fn table(table: &Table, layer: &str, baseline: &str, rows: &[Added]) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\n{}: {layer} less {baseline} here", table.name);
    let name = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let _ = write!(text, "  {:name$}    ", "");
    for column in &table.columns {
        let _ = write!(text, " {column:>9}");
    }
    text += "      here\n";
    for Added { name: own, unit, published, here } in rows {
        let _ = write!(text, "  {own:name$}  {unit:2}");
        for value in published {
            let _ = write!(text, " {value:>9}");
        }
        let _ = writeln!(text, " {here:>9.3}");
    }
    text
}

/// Which of the tests that the paper names without figures the campaign has, and what became of them; empty when none.
pub(super) fn named(paper: &Paper, board: &Scoreboard) -> String {
    let mut text = String::new();
    let Some(suite) = &paper.tests_probe else { return text };
    let has = |test: &&String| {
        let wanted = format!("{suite}/{test}");
        board.rows.iter().position(|row| row.benchmark == wanted)
    };
    let rows: Vec<usize> = paper.tests.iter().filter_map(|test| has(&test)).collect();
    if rows.is_empty() {
        return text;
    }
    text.push('\n');
    let words = format!(
        "The paper names {} tests, mostly without figures; {} of them are in this campaign.",
        paper.tests.len(),
        rows.len()
    );
    paragraph(&mut text, "", &words);
    for (at, layer) in board.others().enumerate() {
        let ratio = |row: &usize| {
            let own = &board.rows[*row];
            Some((own.cells[at].ratio?.value, own.benchmark.raw().split_once('/')?.1))
        };
        let mut ratios: Vec<(f64, &str)> = rows.iter().filter_map(ratio).collect();
        ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
        let list: Vec<String> =
            ratios.iter().map(|(ratio, name)| format!("{name} {ratio:.2}")).collect();
        let words =
            format!("{}/{}: {}", clean(&layer.name), clean(&board.baseline), list.join(", "));
        paragraph(&mut text, "  ", &words);
    }
    text
}
