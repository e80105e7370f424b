//! The figures as Markdown: one table per property.

use crate::figure::{Figure, Goal};
use crate::noise::Noise;
use std::fmt::Write;

/// The rows as Markdown: one table per property, a column per number of blocks. A share that misses its goal is bold.
pub fn table(rows: &[Figure]) -> String {
    let mut text = String::new();
    let mut whats: Vec<&str> = Vec::new();
    for row in rows {
        if !whats.contains(&row.what) {
            whats.push(row.what);
        }
    }
    for what in whats {
        let these: Vec<&Figure> = rows.iter().filter(|r| r.what == what).collect();
        section(&mut text, what, &these);
    }
    text
}

fn section(text: &mut String, what: &str, rows: &[&Figure]) {
    let mut blocks: Vec<usize> = rows.iter().map(|r| r.blocks).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let goal = rows
        .iter()
        .map(|r| r.goal)
        .find(|g| *g != Goal::Reported)
        .map(goal_name)
        .unwrap_or_default();
    let heads: String = blocks.iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, " {b} blocks |");
        s
    });
    let _ =
        writeln!(text, "### Share of campaigns where {what}{goal}\n\n| noise | setting |{heads}");
    let _ = writeln!(text, "|---|---|{}", "---:|".repeat(blocks.len()));
    let mut lines: Vec<(Noise, &str)> = Vec::new();
    for row in rows {
        if !lines.contains(&(row.noise, &row.setting)) {
            lines.push((row.noise, &row.setting));
        }
    }
    for (noise, setting) in lines {
        let _ = write!(text, "| {noise} | {setting} |");
        for b in &blocks {
            let cell =
                rows.iter().find(|r| r.blocks == *b && r.noise == noise && r.setting == setting);
            let _ = write!(text, " {} |", cell.map(|r| percent(r)).unwrap_or_default());
        }
        text.push('\n');
    }
    text.push('\n');
}

fn percent(row: &Figure) -> String {
    let value = format!("{:.1}%", 100.0 * row.share);
    if row.met() == Some(false) { format!("**{value}**") } else { value }
}

fn goal_name(goal: Goal) -> String {
    match goal {
        Goal::Between(low, high) => {
            format!(" (goal {:.0}–{:.0}% from 5 blocks)", 100.0 * low, 100.0 * high)
        }
        Goal::AtMost(most) => format!(" (goal at most {:.0}% for the defaults)", 100.0 * most),
        Goal::AtLeast(least) => {
            format!(" (goal at least {:.0}% from 10 blocks for the default)", 100.0 * least)
        }
        Goal::NoLess(least) => format!(" (goal at least {:.0}%)", 100.0 * least),
        Goal::Reported => String::new(),
    }
}
