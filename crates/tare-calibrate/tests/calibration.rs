//! The method proves itself by simulation: a short, seeded version of what `calibrate` prints in full.

use tare_calibrate::{
    Figure, Goal, Noise, Rows, Simulation, Size, allocated, coverage, false_claims, false_verdicts,
    interrupted, merged, power, sweeps, table,
};

const SEED: u64 = 20_240_611;

fn simulated(noise: Noise, blocks: usize, repeats: usize) -> Simulation {
    Simulation { noise, blocks, repeats, seed: SEED }
}

#[track_caller]
fn all_met(rows: &[Figure], unless: impl Fn(&Figure) -> bool) {
    for row in rows {
        assert!(row.met() != Some(false) || unless(row), "{row:?} ± {:.4}", row.error());
    }
}

fn find<'a>(rows: &'a [Figure], setting: &str) -> &'a Figure {
    rows.iter().find(|r| r.setting.contains(setting)).expect("setting")
}

#[test]
fn intervals_hold_the_truth() {
    for noise in Noise::ALL {
        for blocks in [3, 5, 10] {
            let rows = coverage(&simulated(noise, blocks, 500));
            // Two modes at 5 blocks: wider than need be (98% instead of 95%), which errs on the safe side.
            all_met(&rows, |r| noise == Noise::BimodalBoots && r.share > 0.95);
            assert!(rows[0].share > 0.90, "even 3 blocks are honest: {:?}", rows[0]);
        }
    }
}

#[test]
fn ticks_and_bursts_are_in_the_mean_alone() {
    let rows = interrupted(240, SEED);
    all_met(&rows, |_| false);
    let share = |what: &str, by: &str| {
        let of = |row: &&Figure| {
            row.what.starts_with(what) && row.setting == format!("a still machine, {by}")
        };
        rows.iter().filter(of).find(|row| row.blocks == 20).expect("such a figure").share
    };
    assert!(share("operations", "best case") > 0.9 && share("ticks", "best case") < 0.1);
    assert!(share("ticks", "mean") > 0.9 && share("bursts", "mean") > share("bursts", "best case"));
}

#[test]
fn a_a_scoreboards_stay_silent() {
    let size = Size { benchmarks: 30, layers: 5 };
    for noise in Noise::ALL {
        for (kind, blocks) in
            [(Rows::Alike, 5), (Rows::Varied, 3), (Rows::Varied, 10), (Rows::FewLoud, 5)]
        {
            let rows = false_verdicts(&simulated(noise, blocks, 200), kind, size);
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
        all_met(&allocated(&simulated(noise, 30, 400)), |_| false);
    }
}

#[test]
fn both_kinds_of_claim_share_one_error_rate() {
    for blocks in [3, 5, 10] {
        all_met(&false_claims(&simulated(Noise::Normal, blocks, 500)), |_| false);
    }
}

#[test]
fn five_percent_is_found_at_ten_blocks() {
    for (benchmarks, layers) in [(1, 1), (10, 1), (30, 5)] {
        let size = Size { benchmarks, layers };
        let rows = power(&simulated(Noise::Normal, 10, 300), size);
        all_met(&rows, |_| false);
        assert!(find(&rows, "automatic").share >= 0.9, "{size:?} {:?}", find(&rows, "automatic"));
    }
}

#[test]
fn the_mean_over_hosts_of_few_blocks_is_no_surer_than_said() {
    for (hosts, blocks) in [(2, 2), (3, 3), (5, 2), (5, 3), (10, 2), (10, 5)] {
        all_met(&merged(&simulated(Noise::Normal, blocks, 500), hosts), |_| false);
    }
}

#[test]
fn settings_of_a_sweep_that_are_equal_are_not_said_to_differ() {
    for levels in [&[3, 3][..], &[2, 3, 4]] {
        let rows = sweeps(&simulated(Noise::Normal, 5, 400), levels);
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
    let rows = || coverage(&simulated(Noise::HeavyTail, 3, 20));
    assert_eq!(rows(), rows());
    let text = table(&rows());
    assert!(text.starts_with("### Share of campaigns where t interval holds the true ratio"));
    assert!(text.contains("| heavy tail | true ratio 1.10 |"));
}

#[test]
fn a_missed_goal_stands_out() {
    let mut row = coverage(&simulated(Noise::Normal, 5, 20)).remove(0);
    row.share = 0.5;
    row.goal = Goal::AtLeast(0.9);
    row.repeats = 1000;
    assert_eq!(row.met(), Some(false));
    assert!(table(&[row]).contains("**50.0%**"));
}
