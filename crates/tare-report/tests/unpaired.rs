//! Imported runs of two layers are unrelated: their ratios are Welch's, whatever the order and number of runs.

mod common;

use common::{bench, boot, empty, hello, layer, series};
use tare_board::{Options, Scoreboard, scoreboard};
use tare_proto::Unit;
use tare_report::{Paint, TextStyle, html, markdown, text};
use tare_stats::unpaired_ratio;
use tare_store::{Campaign, IMPORTED, Role};

const ONE: [&[f64]; 2] = [&[100.0, 104.0, 98.0, 101.0, 103.0], &[150.0, 171.0, 158.0]];
const TWO: [&[f64]; 2] = [&[10.0, 10.4, 9.9, 10.2, 10.1], &[31.0, 29.0, 30.5]];

/// Two imported layers, two benchmarks: a block holds the n-th runs.
fn import(rows: [[&[f64]; 2]; 2]) -> Campaign {
    let layers = vec![layer("native", IMPORTED), layer("b", IMPORTED)];
    let benches =
        ["t/one", "t/two"].map(|name| bench(name, "t", Unit::Nanoseconds)).into_iter().collect();
    let mut campaign = empty(5, layers, benches);
    for block in 0..5 {
        for layer in [0, 1] {
            let runs: Vec<(usize, f64)> = (0..2)
                .filter_map(|row| Some((row, *rows[row][layer].get(block as usize)?)))
                .collect();
            if runs.is_empty() {
                continue;
            }
            let at = boot(&mut campaign, block, layer, Role::Weigh, hello());
            for (row, value) in runs {
                series(&mut campaign, at, row, vec![value]);
            }
        }
    }
    campaign
}

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[test]
fn every_run_of_both_layers_counts() {
    let board = board(&import([ONE, TWO]));
    for (row, [a, b]) in board.rows.iter().zip([ONE, TWO]) {
        let (cell, welch) = (&row.cells[0], unpaired_ratio(a, b, 0.95).unwrap());
        let ratio = cell.ratio.unwrap();
        assert_eq!(
            (ratio.value, ratio.low, ratio.high),
            (welch.ratio, Some(welch.low), Some(welch.high))
        );
        assert_eq!(ratio.blocks, 3);
        let pair = cell.pair.unwrap();
        let near = |own: f64, all: &[f64]| (own / geometric(all) - 1.0).abs() < 1e-12;
        assert!(near(pair.baseline, a) && near(pair.layer, b), "{pair:?}");
        assert!(cell.bootstrap.is_none() && cell.shape.is_none(), "both pair blocks");
    }
}

#[test]
fn the_geometric_mean_is_over_runs_and_unpaired() {
    let board = board(&import([ONE, TWO]));
    let of = |layer: usize| -> Vec<f64> {
        ONE[layer].iter().zip(TWO[layer]).map(|(x, y)| (x * y).sqrt()).collect()
    };
    let welch = unpaired_ratio(&of(0), &of(1), 0.95).unwrap();
    let cost = &board.geomeans[0].cost;
    assert!((cost.value / welch.ratio - 1.0).abs() < 1e-12);
    assert!((cost.low.unwrap() / welch.low - 1.0).abs() < 1e-12);
    assert!((cost.high.unwrap() / welch.high - 1.0).abs() < 1e-12);
}

#[test]
fn the_order_of_the_runs_says_nothing() {
    let turned: Vec<f64> = ONE[1].iter().rev().copied().collect();
    let (one, other) = (board(&import([ONE, TWO])), board(&import([[ONE[0], &turned], TWO])));
    let of = |board: &Scoreboard| board.rows[0].cells[0].ratio.unwrap();
    assert!((of(&one).low.unwrap() / of(&other).low.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(one.rows[0].cells[0].verdict, other.rows[0].cells[0].verdict);
}

#[test]
fn a_single_run_on_one_side_is_a_ratio_without_an_interval() {
    let board = board(&import([[ONE[0], &[150.0]], TWO]));
    let cell = &board.rows[0].cells[0];
    assert!(cell.ratio.unwrap().low.is_none(), "{:?}", cell.ratio);
    assert_eq!(cell.comments.iter().map(|c| c.kind()).collect::<Vec<_>>(), ["single_figure"]);
    assert_eq!(board.geomeans[0].rows, 1, "only rows with intervals are in the mean's");
}

#[test]
fn every_form_says_that_it_is_unpaired() {
    let campaign = import([ONE, TWO]);
    let board = board(&campaign);
    let style = TextStyle { width: 80, paint: Paint::Plain, details: true };
    let page = html(&campaign, &board, &Default::default());
    for form in [text(&board, &style), markdown(&board), page] {
        assert!(form.contains("unpaired"), "{form}");
        assert!(form.contains("up to 5 runs"), "{form}");
    }
}
