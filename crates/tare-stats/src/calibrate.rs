//! The calibration of the method: how often its intervals contain the true ratio and its verdicts are right in simulated
//! campaigns, as rows and as a Markdown table.

use crate::adaptive::allocated;
use crate::experiment::{coverage, false_claims, false_verdicts, imports, power};
use crate::goal::{CalibrationRow, Goal};
use crate::hosts::merged;
use crate::moments::moments;
use crate::simulate::{Noise, Rows};
use crate::sweeps::sweeps;
use std::fmt::Write;

/// The designs of sweeps: so many levels of each knob.
const SWEEPS: [&[usize]; 4] = [&[2, 2], &[3, 3], &[4, 4], &[2, 3, 4]];

/// Runs all simulations, each over `repeats` campaigns; the same seed gives the same rows.
///
/// 2,000 repeats take about two minutes and leave half a percent of uncertainty.
#[must_use]
pub fn calibrate(repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let mut rows = Vec::new();
    for noise in Noise::ALL {
        for blocks in [3, 5, 10, 20] {
            rows.extend(coverage(noise, blocks, repeats, seed));
        }
    }
    for noise in Noise::ALL {
        for runs in [2, 3, 5, 10] {
            rows.extend(imports(noise, runs, repeats, seed));
        }
    }
    for noise in Noise::ALL {
        for most in [10, 20, 40] {
            rows.extend(allocated(noise, most, repeats, seed));
        }
    }
    for kind in [Rows::Alike, Rows::Varied, Rows::FewLoud] {
        for noise in Noise::ALL {
            for blocks in [3, 5, 10] {
                rows.extend(false_verdicts(noise, kind, (30, 5), blocks, repeats, seed));
            }
        }
    }
    for blocks in [3, 5, 10] {
        rows.extend(false_verdicts(Noise::Normal, Rows::Varied, (5, 2), blocks, repeats, seed));
        rows.extend(false_claims(Noise::Normal, blocks, repeats, seed));
    }
    for shape in [(1, 1), (10, 1), (8, 5), (30, 5)] {
        for blocks in [5, 10, 20] {
            rows.extend(power(Noise::Normal, shape, blocks, repeats, seed));
        }
    }
    rows.extend(moments(repeats, seed));
    for noise in [Noise::Normal, Noise::HeavyTail, Noise::BimodalBoots] {
        for levels in SWEEPS {
            for blocks in [5, 10] {
                rows.extend(sweeps(noise, levels, blocks, repeats, seed));
            }
        }
    }
    for noise in [Noise::Normal, Noise::HeavyTail, Noise::BimodalBoots] {
        for hosts in [2, 3, 5, 10] {
            for blocks in [2, 3, 5, 10, 20] {
                rows.extend(merged(noise, hosts, blocks, repeats, seed));
            }
        }
    }
    rows
}

/// The rows as Markdown: one table per property, a column per number of blocks. A share that misses its goal is bold.
#[must_use]
pub fn calibration_table(rows: &[CalibrationRow]) -> String {
    let mut text = String::new();
    let mut whats: Vec<&str> = Vec::new();
    for row in rows {
        if !whats.contains(&row.what) {
            whats.push(row.what);
        }
    }
    for what in whats {
        let these: Vec<&CalibrationRow> = rows.iter().filter(|r| r.what == what).collect();
        section(&mut text, what, &these);
    }
    text
}

fn section(text: &mut String, what: &str, rows: &[&CalibrationRow]) {
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

fn percent(row: &CalibrationRow) -> String {
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
