//! The method proves itself by simulation: a short, seeded version of what `calibrate` prints in full.

use tare_stats::adaptive::allocated;
use tare_stats::experiment::{coverage, false_claims, false_verdicts, power};
use tare_stats::goal::{CalibrationRow, Goal};
use tare_stats::hosts::merged;
use tare_stats::simulate::{Noise, Rows};
use tare_stats::sweeps::sweeps;

const SEED: u64 = 20_240_611;

#[track_caller]
fn all_met(rows: &[CalibrationRow], unless: impl Fn(&CalibrationRow) -> bool) {
    for row in rows {
        assert!(row.met() != Some(false) || unless(row), "{row:?} ± {:.4}", row.error());
    }
}

fn find<'a>(rows: &'a [CalibrationRow], setting: &str) -> &'a CalibrationRow {
    rows.iter().find(|r| r.setting.contains(setting)).expect("setting")
}

#[test]
fn intervals_hold_the_truth() {
    for noise in Noise::ALL {
        for blocks in [3, 5, 10] {
            let rows = coverage(noise, blocks, 500, SEED);
            // Two modes at 5 blocks: wider than need be (98% instead of 95%), which errs on the safe side.
            all_met(&rows, |r| noise == Noise::BimodalBoots && r.share > 0.95);
            assert!(rows[0].share > 0.90, "even 3 blocks are honest: {:?}", rows[0]);
        }
    }
}

#[test]
fn a_a_scoreboards_stay_silent() {
    for noise in Noise::ALL {
        for (kind, blocks) in
            [(Rows::Alike, 5), (Rows::Varied, 3), (Rows::Varied, 10), (Rows::FewLoud, 5)]
        {
            let rows = false_verdicts(noise, kind, (30, 5), blocks, 200, SEED);
            // Without A/A pairs nothing can tell two modes between 3 or 5 boots from a difference.
            all_met(&rows, |r| {
                noise == Noise::BimodalBoots && r.setting.contains("no floor") && blocks <= 5
            });
        }
    }
}

#[test]
fn rows_that_end_when_they_are_narrow_stay_honest() {
    for noise in [Noise::Normal, Noise::HeavyTail] {
        all_met(&allocated(noise, 30, 400, SEED), |_| false);
    }
}

#[test]
fn both_kinds_of_claim_share_one_error_rate() {
    for blocks in [3, 5, 10] {
        all_met(&false_claims(Noise::Normal, blocks, 500, SEED), |_| false);
    }
}

#[test]
fn five_percent_is_found_at_ten_blocks() {
    for shape in [(1, 1), (10, 1), (30, 5)] {
        let rows = power(Noise::Normal, shape, 10, 300, SEED);
        all_met(&rows, |_| false);
        assert!(find(&rows, "automatic").share >= 0.9, "{shape:?} {:?}", find(&rows, "automatic"));
    }
}

#[test]
fn the_mean_over_hosts_of_few_blocks_is_no_surer_than_said() {
    for (hosts, blocks) in [(2, 2), (3, 3), (5, 2), (5, 3), (10, 2), (10, 5)] {
        all_met(&merged(Noise::Normal, hosts, blocks, 500, SEED), |_| false);
    }
}

#[test]
fn settings_of_a_sweep_that_are_equal_are_not_said_to_differ() {
    for levels in [&[3, 3][..], &[2, 3, 4]] {
        let rows = sweeps(Noise::Normal, levels, 5, 400, SEED);
        all_met(&rows, |_| false);
        let others = find(&rows, "the other contrasts'");
        assert!(
            others.share > 0.06,
            "what contrasts of one design vary by is no sample: {others:?}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_table() {
    let rows = || coverage(Noise::HeavyTail, 3, 20, 1);
    assert_eq!(rows(), rows());
    let table = tare_stats::calibration_table(&rows());
    assert!(table.starts_with("### Share of campaigns where t interval holds the true ratio"));
    assert!(table.contains("| heavy tail | true ratio 1.10 |"));
}

#[test]
fn a_missed_goal_stands_out() {
    let mut row = coverage(Noise::Normal, 5, 20, 1).remove(0);
    (row.share, row.goal, row.repeats) = (0.5, Goal::AtLeast(0.9), 1000);
    assert_eq!(row.met(), Some(false));
    assert!(tare_stats::calibration_table(&[row]).contains("**50.0%**"));
}
