//! The index of a suite with published baselines: UnixBench's own arithmetic.

mod common;

use common::{PUBLISHED, plan, published};
use tare_board::{Options, scoreboard};

#[test]
fn indices_and_score_are_those_that_were_published() {
    let board = scoreboard(&published(), &Options::from_plan(&plan(1)));
    let [index] = board.indices.as_slice() else { panic!("{:?}", board.indices) };
    assert_eq!((index.suite.raw(), index.load), ("unixbench", 1));
    for (row, (baseline, _, printed)) in index.rows.iter().zip(PUBLISHED) {
        assert_eq!(row.baseline, baseline);
        // Results are printed with one decimal.
        let hidden = 0.051 + 0.5 / baseline;
        assert!((row.values[0].unwrap() - printed).abs() <= hidden, "{row:?}");
    }
    let score = index.scores[0].unwrap();
    assert!((score.value - 1088.8).abs() <= 0.051, "{score:?}");
    assert_eq!((score.rows, score.left_out), (12, 0));
    let guest = index.scores[1].unwrap();
    assert_eq!((guest.rows, guest.left_out), (11, 1));
}

#[test]
fn a_suite_without_baselines_has_no_index() {
    let mut campaign = published();
    campaign.series.iter_mut().for_each(|row| row.counters.clear());
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    assert!(board.indices.is_empty());
}
