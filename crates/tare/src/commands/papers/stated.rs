//! What a paper states without figures, beside the campaign's rows that it is about.

use std::fmt::Write;
use tare_board::{LayerSummary, Row, Scoreboard};
use tare_import::{Claim, Paper};
use tare_proto::Better;
use tare_report::clean;

/// Every claim on two layers that the campaign has, with what each of its rows costs more there; empty when there is none.
pub(super) fn beside(paper: &Paper, board: &Scoreboard) -> String {
    let mut text = String::new();
    let Some(baseline) = board.layers.iter().find(|layer| layer.baseline) else { return text };
    for claim in paper.claim.iter().filter(|claim| is(baseline, claim.of.as_deref())) {
        for (at, layer) in board.others().enumerate() {
            let rows: Vec<String> =
                claim.rows.iter().flat_map(|name| costs(board, name, at)).collect();
            if rows.is_empty() || !is(layer, claim.layer.as_deref()) {
                continue;
            }
            let ours = clean(&layer.name);
            let below = clean(&baseline.name);
            let words = format!(
                "Stated: {}{}. Here {ours} costs more than {below} by:",
                claim.about,
                amount(claim)
            );
            text.push('\n');
            super::paragraph(&mut text, "", &words);
            rows.iter().for_each(|row| text += row);
        }
    }
    text
}

/// Whether `wanted` names the layer, or its kind.
fn is(layer: &LayerSummary, wanted: Option<&str>) -> bool {
    wanted.is_some_and(|wanted| wanted == layer.name || wanted == layer.kind)
}

fn amount(claim: &Claim) -> String {
    match claim.percent {
        Some([low, high]) if low == high => format!(" {low}%"),
        Some([low, high]) => format!(" {low} to {high}%"),
        None => String::new(),
    }
}

/// The lines of benchmark `name`, one a load, on layer `at`.
fn costs(board: &Scoreboard, name: &str, at: usize) -> Vec<String> {
    let stem = |row: &Row| row.benchmark.raw().split('@').next() == Some(name);
    board.rows.iter().filter(|row| stem(row)).filter_map(|row| cost(row, at)).collect()
}

fn cost(row: &Row, at: usize) -> Option<String> {
    let ratio = row.cells[at].ratio?;
    // A rate that is lower costs more, by as much as its inverse is above 1.
    let times = |ratio: f64| if row.better == Better::Higher { 1.0 / ratio } else { ratio };
    // Rounded here: nothing is shown as -0.
    let percent = |ratio: f64| (1e4 * (times(ratio) - 1.0)).round() / 100.0 + 0.0;
    let mut line = format!("  {:28} {:>7.2}%", clean(&row.benchmark), percent(ratio.value));
    if let Some((low, high)) = ratio.low.zip(ratio.high) {
        let (low, high) = (percent(low).min(percent(high)), percent(low).max(percent(high)));
        let _ = write!(line, "  95% CI {low:.2} to {high:.2}%");
    }
    line.push('\n');
    Some(line)
}
