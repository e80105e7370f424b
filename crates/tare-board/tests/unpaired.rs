//! Imported runs of two layers are unrelated: their ratios are Welch's, whatever the order and number of runs.

mod common;

use common::{ONE, TWO, imported};
use tare_board::{Options, Scoreboard, scoreboard};
use tare_stats::unpaired_ratio;
use tare_store::Campaign;

fn board(campaign: &Campaign) -> Scoreboard {
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[test]
fn every_run_of_both_layers_counts() {
    let board = board(&imported([ONE, TWO]));
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
    let board = board(&imported([ONE, TWO]));
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
    let (one, other) = (board(&imported([ONE, TWO])), board(&imported([[ONE[0], &turned], TWO])));
    let of = |board: &Scoreboard| board.rows[0].cells[0].ratio.unwrap();
    assert!((of(&one).low.unwrap() / of(&other).low.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(one.rows[0].cells[0].verdict, other.rows[0].cells[0].verdict);
}

#[test]
fn a_single_run_on_one_side_is_a_ratio_without_an_interval() {
    let board = board(&imported([[ONE[0], &[150.0]], TWO]));
    let cell = &board.rows[0].cells[0];
    assert!(cell.ratio.unwrap().low.is_none(), "{:?}", cell.ratio);
    assert_eq!(cell.comments.iter().map(|c| c.kind()).collect::<Vec<_>>(), ["single_figure"]);
    assert_eq!(board.geomeans[0].rows, 1, "only rows with intervals are in the mean's");
}
