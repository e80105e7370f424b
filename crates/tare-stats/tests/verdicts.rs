//! The verdict rules one by one, and the statements on bad input.

use tare_stats::*;

fn row(logs: &[f64], floor: f64, best: Best) -> RowInput {
    RowInput { interval: ratio_of_logs(logs, 0.95).unwrap(), margin: 0.02, floor, best, layer: 0 }
}

fn one(row: RowInput) -> RowVerdict {
    verdicts(&[row], Correction::Holm, 0.05)[0]
}

const PLUS_TEN: [f64; 5] = [0.101, 0.099, 0.100, 0.102, 0.098];
const NOISY: [f64; 5] = [0.12, -0.06, 0.09, -0.02, 0.05];
const TIGHT: [f64; 5] = [0.003, 0.004, 0.0035, 0.0042, 0.0038];

#[test]
fn direction_follows_the_unit() {
    assert_eq!(one(row(&PLUS_TEN, 0.0, Best::Lowest)).verdict, Verdict::Slower);
    assert_eq!(one(row(&PLUS_TEN, 0.0, Best::Highest)).verdict, Verdict::Faster);
    let minus = PLUS_TEN.map(|v| -v);
    assert_eq!(one(row(&minus, 0.0, Best::Lowest)).verdict, Verdict::Faster);
    assert_eq!(one(row(&minus, 0.0, Best::Highest)).verdict, Verdict::Slower);
}

#[test]
fn equivalence_takes_precedence_over_a_real_small_difference() {
    let answer = one(row(&TIGHT, 0.0, Best::Lowest));
    assert!(answer.p_difference < 0.05, "the difference is significant");
    assert_eq!(answer.verdict, Verdict::Equivalent);
}

#[test]
fn an_equivalence_rests_on_an_interval_inside_the_margin() {
    let loose = [0.006, -0.010, 0.021, 0.003, 0.012];
    let answer = one(row(&loose, 0.0, Best::Lowest));
    assert_eq!(answer.verdict, Verdict::Equivalent);
    let own = row(&loose, 0.0, Best::Lowest).interval;
    assert!(own.high > 1.02, "the row's own 95% interval reaches the margin: {}", own.high);
    let shown = answer.shown.unwrap();
    assert!((shown.confidence - 0.9).abs() < 1e-9 && shown.high < 1.02 && shown.low > 1.0 / 1.02);
    // Among others the level is stricter, and so is what is shown.
    for rows in [2, 7, 40] {
        for answer in verdicts(&vec![row(&TIGHT, 0.0, Best::Lowest); rows], Correction::Holm, 0.05)
        {
            let shown = answer.shown.unwrap();
            assert!(shown.confidence > 0.9 && shown.high < 1.02 && shown.low > 1.0 / 1.02);
        }
    }
    assert_eq!(one(row(&PLUS_TEN, 0.0, Best::Lowest)).shown, None);
}

#[test]
fn nothing_within_the_floor_is_called_different() {
    let answer = one(row(&PLUS_TEN, 0.2, Best::Lowest));
    assert!(answer.within_floor);
    // Four times the blocks halve the floor, to the ratio itself; one more passes it.
    assert_eq!(answer.verdict, Verdict::Undecided { more_blocks: Some(16) });
}

#[test]
fn undecided_says_how_many_more() {
    let Verdict::Undecided { more_blocks: Some(more) } =
        one(row(&NOISY, 0.0, Best::Lowest)).verdict
    else {
        panic!("undecided with a number")
    };
    // sd 0.074, shift 0.036: normal theory wants (1.96 + 0.84)² · (0.074/0.036)² ≈ 33 blocks in all.
    assert!((24..=34).contains(&more), "{more}");
    let alone = more;
    let many = verdicts(&[row(&NOISY, 0.0, Best::Lowest); 40], Correction::Holm, 0.05)[0];
    let Verdict::Undecided { more_blocks: Some(more) } = many.verdict else { panic!() };
    assert!(more > alone, "forty rows need more than one: {more} > {alone}");
}

#[test]
fn constant_rows_are_decided_and_flagged() {
    let same = row(&[0.0; 4], 0.0, Best::Lowest);
    assert!(same.interval.degenerate);
    assert_eq!(one(same).verdict, Verdict::Equivalent);
    assert_eq!(one(row(&[0.3; 4], 0.0, Best::Lowest)).verdict, Verdict::Slower);
    let r = paired_ratio(&[3.0, 5.0, 7.0], &[6.6, 11.0, 15.4], 0.95).unwrap();
    assert!(r.degenerate && r.low == r.high && (r.ratio - 2.2).abs() < 1e-12);
}

#[test]
fn a_row_without_spread_is_not_believed_among_rows_that_vary() {
    let mut rows = vec![row(&NOISY, 0.0, Best::Lowest); 11];
    rows.push(row(&[0.05; 5], 0.0, Best::Lowest));
    let answer = verdicts(&rows, Correction::Holm, 0.05)[11];
    assert!(
        answer.std_error > 0.0 && matches!(answer.verdict, Verdict::Undecided { .. }),
        "{answer:?}"
    );
    let still = vec![row(&[0.05; 5], 0.0, Best::Lowest); 12];
    let answer = verdicts(&still, Correction::Holm, 0.05)[11];
    assert_eq!(
        (answer.std_error, answer.verdict),
        (0.0, Verdict::Slower),
        "a machine that repeats to the last digit"
    );
}

#[test]
fn unusable_rows_have_no_interval_and_do_not_count() {
    let mut single = row(&PLUS_TEN, 0.0, Best::Lowest);
    single.interval.blocks = 1;
    let mut nan = row(&PLUS_TEN, f64::NAN, Best::Lowest);
    nan.interval.std_error = f64::NAN;
    let good = row(&NOISY, 0.0, Best::Lowest);
    let answers = verdicts(&[single, nan, good], Correction::Holm, 0.05);
    assert_eq!(answers[0].verdict, Verdict::NoInterval);
    assert_eq!(answers[1].verdict, Verdict::NoInterval);
    assert_eq!(answers[2], one(good));
}

#[test]
fn a_row_of_many_is_harder_to_decide_but_thirtyfold_is_decided_at_three_blocks() {
    let borderline = row(&[0.03, 0.05, 0.04], 0.0, Best::Lowest);
    assert_eq!(one(borderline).verdict, Verdict::Slower);
    let mut rows = vec![borderline; 150];
    rows[7] = row(&[3.40, 3.43, 3.36], 0.0, Best::Lowest);
    let answers = verdicts(&rows, Correction::Holm, 0.05);
    assert!(matches!(answers[0].verdict, Verdict::Undecided { more_blocks: Some(_) }));
    assert_eq!(answers[7].verdict, Verdict::Slower);
}

#[test]
fn joint_correction_multiplies_by_rows_not_tests() {
    let pairs = [
        PairP { difference: 0.01, equivalence: 0.9 },
        PairP { difference: 0.5, equivalence: 0.02 },
    ];
    let holm = joint(&pairs, Correction::Holm);
    assert!((holm[0].difference - 0.02).abs() < 1e-15);
    assert!((holm[1].equivalence - 0.04).abs() < 1e-15);
    let bh = joint(&pairs, Correction::BenjaminiHochberg);
    assert!((bh[0].difference - 0.02).abs() < 1e-15);
    assert!((bh[1].equivalence - 0.02).abs() < 1e-15);
    assert_eq!(joint(&pairs, Correction::None), pairs);
}

#[test]
fn benjamini_hochberg_keeps_the_share_of_false_verdicts() {
    let mut state = 9_u64;
    let mut normal = || {
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    };
    let mut false_share = 0.0;
    let mut found = 0;
    let mut found_by_holm = 0;
    for _ in 0..300 {
        let shift = |r: usize| if r.is_multiple_of(2) { 0.05 } else { 0.0 };
        let rows: Vec<RowInput> = (0..40)
            .map(|r| row(&[(); 8].map(|()| shift(r) + 0.03 * normal()), 0.0, Best::Lowest))
            .collect();
        let different = |correction| -> Vec<usize> {
            let answers = verdicts(&rows, correction, 0.05);
            (0..40)
                .filter(|&r| matches!(answers[r].verdict, Verdict::Slower | Verdict::Faster))
                .collect()
        };
        let called = different(Correction::BenjaminiHochberg);
        let wrong = called.iter().filter(|r| **r % 2 == 1).count();
        false_share += wrong as f64 / called.len().max(1) as f64;
        found += called.len() - wrong;
        found_by_holm += different(Correction::Holm).len();
    }
    assert!(false_share / 300.0 <= 0.05, "{}", false_share / 300.0);
    assert!(found > found_by_holm, "{found} {found_by_holm}");
}

#[test]
fn bad_numbers_are_named_with_their_place() {
    let e = paired_ratio(&[1.0, f64::NAN], &[1.0, 2.0], 0.95).unwrap_err();
    assert_eq!(e, StatError::NotFinite { index: 1 });
    assert_eq!(
        paired_ratio(&[1.0, 2.0, 0.0], &[1.0; 3], 0.95).unwrap_err(),
        StatError::NotPositive { index: 2 }
    );
    assert_eq!(
        paired_ratio(&[1.0], &[1.0], 0.95).unwrap_err(),
        StatError::TooFew { have: 1, need: 2 }
    );
    assert_eq!(ratio_point(&[2.0], &[3.0]).unwrap(), RatioPoint { ratio: 1.5, blocks: 1 });
    assert_eq!(paired_ratio(&[], &[], 0.95).unwrap_err(), StatError::Empty);
    let e = paired_ratio(&[1.0], &[1.0, 2.0], 0.95).unwrap_err();
    assert_eq!(e, StatError::LengthMismatch { left: 1, right: 2 });
    assert_eq!(mean_interval(&[1.0, 2.0], 1.0).unwrap_err(), StatError::BadLevel { level: 1.0 });
    assert_eq!(
        Estimator::Mean.reduce(&[1.0, -1.0], Best::Lowest).unwrap_err(),
        StatError::NotPositive { index: 1 }
    );
    assert!(Estimator::MeanOfBest { keep: 4, of: 3 }.reduce(&[1.0], Best::Lowest).is_err());
    assert_eq!(sample_sd(&[f64::MAX, f64::MIN]).unwrap_err(), StatError::Overflow);
}

#[test]
fn estimators_read_and_write_their_names() {
    for name in [
        "mean",
        "median",
        "p99",
        "p99.9",
        "best-of-5",
        "best-18-of-30",
        "mean-until-5%",
        "mean-until-0.5%",
    ] {
        let estimator: Estimator = name.parse().unwrap();
        assert_eq!(estimator.to_string(), name);
        let json = serde_json::to_string(&estimator).unwrap();
        assert_eq!(json, format!("\"{name}\""));
        assert_eq!(serde_json::from_str::<Estimator>(&json).unwrap(), estimator);
    }
    for bad in [
        "",
        "best-of-0",
        "best-4-of-3",
        "best-0-of-3",
        "mean-until-%",
        "mean-until-NaN%",
        "mode",
        "p100",
        "p9",
        "pNaN",
        "best-of--1",
    ] {
        assert!(bad.parse::<Estimator>().is_err(), "{bad}");
    }
    assert_eq!("best-18-of-30".parse::<Estimator>().unwrap().samples_wanted(), Some(30));
    let all: Vec<f64> = (1..=1000).map(f64::from).collect();
    let p99: Estimator = "p99".parse().unwrap();
    assert!((p99.reduce(&all, Best::Lowest).unwrap() - 990.01).abs() < 1e-9);
    assert!((p99.reduce(&all, Best::Highest).unwrap() - 10.99).abs() < 1e-9);
    let too_few = StatError::TooFew { have: 99, need: 100 };
    assert_eq!(p99.reduce(&all[..99], Best::Lowest).unwrap_err(), too_few);
    let until: Estimator = "mean-until-5%".parse().unwrap();
    assert!(
        !until.satisfied(&[1.0, 1.0])
            && until.satisfied(&[1.0, 1.0, 1.01])
            && !until.satisfied(&[1.0, 1.5, 2.0])
    );
}

#[test]
fn the_noise_floor_bounds_the_baselines_ratio_to_itself() {
    let floor = noise_floor(&[100.0, 101.0, 99.0], &[101.0, 100.5, 99.5], 0.95).unwrap();
    assert!(floor.holds_one && floor.log_floor > 0.0);
    let farther = floor.interval.high.ln().max(-floor.interval.low.ln());
    assert!((floor.log_floor - farther).abs() < 1e-12);
    assert!((floor.ratio_floor.ln() - floor.log_floor).abs() < 1e-12);
    let still = noise_floor(&[1.0, 2.0], &[1.0, 2.0], 0.95).unwrap();
    assert!(still.interval.degenerate && still.log_floor == 0.0 && still.holds_one);
}

#[test]
fn absent_cells_do_not_shift_the_suite() {
    let full = vec![vec![0.5, 0.5, 0.5, 0.5], vec![0.1, 0.1, 0.1, 0.1]];
    let whole = suite_geomean(&full, 0.95).unwrap();
    let mut holes: Vec<Vec<Option<f64>>> =
        full.iter().map(|r| r.iter().copied().map(Some).collect()).collect();
    holes[0][2] = None;
    holes.push(vec![None, Some(9.0), None, None]);
    let sparse = suite_geomean_sparse(&holes, 0.95).unwrap();
    assert!((sparse.interval.ratio - whole.interval.ratio).abs() < 1e-12);
    assert_eq!((sparse.rows, sparse.left_out, sparse.missing), (2, vec![2], 1));
    assert!(suite_geomean_sparse(&[vec![None, None]], 0.95).is_err());
    assert!(suite_geomean(&[vec![0.1, 0.2], vec![0.1]], 0.95).is_err());
}
