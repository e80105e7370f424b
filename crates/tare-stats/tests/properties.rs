//! Properties that hold for any input: invariances, symmetries, no NaN, no panic.

use proptest::prelude::*;
use tare_stats::*;

fn times(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(1e-3..1e6_f64, n)
}

fn pairs() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (2..12_usize).prop_flat_map(|n| (times(n..n + 1), times(n..n + 1)))
}

fn estimator() -> impl Strategy<Value = Estimator> {
    prop_oneof![
        Just(Estimator::Mean),
        Just(Estimator::Median),
        (1..8_usize).prop_map(|of| Estimator::Best { of }),
        (1..8_usize, 0..8_usize)
            .prop_map(|(keep, more)| Estimator::MeanOfBest { keep, of: keep + more }),
        (0.1..10.0).prop_map(|percent| Estimator::MeanUntil { percent }),
    ]
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn ratio_is_scale_invariant((a, b) in pairs(), scale in 1e-6..1e6_f64) {
        let scaled = |v: &[f64]| v.iter().map(|x| x * scale).collect::<Vec<_>>();
        let r = paired_ratio(&a, &b, 0.95).unwrap();
        let s = paired_ratio(&scaled(&a), &scaled(&b), 0.95).unwrap();
        prop_assert!(near(r.ratio, s.ratio) && near(r.low, s.low) && near(r.high, s.high));
    }

    #[test]
    fn swapping_the_sides_inverts_the_ratio((a, b) in pairs()) {
        let r = paired_ratio(&a, &b, 0.95).unwrap();
        let s = paired_ratio(&b, &a, 0.95).unwrap();
        prop_assert!(near(r.ratio, 1.0 / s.ratio) && near(r.low, 1.0 / s.high) && near(r.p_value, s.p_value));
        let r = unpaired_ratio(&a, &b, 0.9).unwrap();
        let s = unpaired_ratio(&b, &a, 0.9).unwrap();
        prop_assert!(near(r.ratio, 1.0 / s.ratio) && near(r.low, 1.0 / s.high) && near(r.p_value, s.p_value));
    }

    #[test]
    fn order_of_blocks_does_not_matter((a, b) in pairs()) {
        let flip = |v: &[f64]| v.iter().rev().copied().collect::<Vec<_>>();
        let r = paired_ratio(&a, &b, 0.95).unwrap();
        let s = paired_ratio(&flip(&a), &flip(&b), 0.95).unwrap();
        prop_assert!(near(r.ratio, s.ratio) && near(r.low, s.low) && near(r.high, s.high));
    }

    #[test]
    fn swapping_the_sides_swaps_the_verdict((a, b) in pairs(), floor in 0.0..0.1_f64) {
        let verdict = |x: &[f64], y: &[f64], best| {
            let interval = paired_ratio(x, y, 0.95).unwrap();
            verdicts(&[RowInput { interval, margin: 0.02, floor, best, layer: 0 }], Correction::Holm, 0.05)[0].verdict
        };
        prop_assert_eq!(verdict(&a, &b, Best::Lowest), verdict(&b, &a, Best::Highest));
    }

    #[test]
    fn same_blocks_again_never_widen_the_interval((a, b) in pairs()) {
        let twice = |v: &[f64]| [v, v].concat();
        let r = paired_ratio(&a, &b, 0.95).unwrap();
        let s = paired_ratio(&twice(&a), &twice(&b), 0.95).unwrap();
        prop_assert!(s.half_width() <= r.half_width());
    }

    #[test]
    fn estimators_scale_and_ignore_order(x in times(1..40), e in estimator(), scale in 1e-3..1e3_f64) {
        for best in [Best::Lowest, Best::Highest] {
            let plain = e.reduce(&x, best).unwrap();
            let other: Vec<f64> = x.iter().rev().map(|v| v * scale).collect();
            prop_assert!(near(e.reduce(&other, best).unwrap(), plain * scale));
            let (low, high) = x.iter().fold((f64::MAX, 0.0_f64), |(l, h), v| (l.min(*v), h.max(*v)));
            prop_assert!(plain >= low * (1.0 - 1e-12) && plain <= high * (1.0 + 1e-12));
        }
    }

    #[test]
    fn finite_input_never_gives_nan(x in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, 2..12)) {
        let fine = |r: Result<f64, StatError>| matches!(r, Err(StatError::Overflow)) || r.is_ok_and(f64::is_finite);
        prop_assert!(fine(mean(&x)) && fine(sample_sd(&x)) && fine(median(&x)));
        if let Ok(i) = mean_interval(&x, 0.95) {
            prop_assert!(i.low.is_finite() && i.high.is_finite() && !i.width_percent().is_nan());
        }
        let positive: Vec<f64> = x.iter().map(|v| v.abs().max(f64::MIN_POSITIVE)).collect();
        let other: Vec<f64> = positive.iter().rev().copied().collect();
        for r in [paired_ratio(&positive, &other, 0.95), unpaired_ratio(&positive, &other, 0.95)] {
            let r = r.unwrap();
            let all = [r.ratio, r.low, r.high, r.log_sd, r.p_value, r.log_ratio, r.std_error, r.df];
            prop_assert!(all.iter().all(|v| v.is_finite()), "{r:?}");
            prop_assert!(r.low <= r.ratio && r.ratio <= r.high);
        }
    }

    #[test]
    fn any_numbers_at_all_are_survived(
        x in prop::collection::vec(prop::num::f64::ANY, 0..8),
        y in prop::collection::vec(prop::num::f64::ANY, 0..8),
        e in estimator(), level in prop::num::f64::ANY,
    ) {
        let _ = (mean(&x), sample_sd(&x), quantile(&x, level), mean_interval(&x, level));
        let _ = (paired_ratio(&x, &y, level), unpaired_ratio(&x, &y, level), ratio_point(&x, &y));
        let _ = (quantile_interval(&x, level, 0.95), quantile_interval(&x, 0.5, level), line(&x, &y));
        let _ = (e.reduce(&x, Best::Lowest), e.satisfied(&y), noise_floor(&x, &y, level));
        let _ = (suite_geomean(&[x.clone(), y.clone()], level), holm(&x), benjamini_hochberg(&x));
        let _ = (dist::t_critical(level, 3.0), dist::t_two_sided(level, level), dist::trigamma_inverse(level));
        let ok = ratio_of_logs(&[0.1, 0.2, 0.15], 0.95).unwrap();
        let interval = RatioInterval {
            log_ratio: level, std_error: x.first().copied().unwrap_or(0.1), df: y.first().copied().unwrap_or(2.0), ..ok
        };
        let row = RowInput { interval, margin: level.abs(), floor: 0.0, best: Best::Lowest, layer: 0 };
        for variance in [VarianceModel::PerRow, VarianceModel::Moderated] {
            for correction in [Correction::Holm, Correction::BenjaminiHochberg, Correction::None] {
                let rules = VerdictRules { correction, alpha: 0.05, variance };
                for answer in verdicts_with(&[row, row, row, row], &rules) {
                    prop_assert!(!answer.p_difference.is_nan() && !answer.p_equivalence.is_nan());
                }
            }
        }
    }

    #[test]
    fn bootstrap_and_shape_scale_and_invert((a, b) in pairs(), e in estimator(), scale in 1e-3..1e3_f64) {
        let (x, y): (Vec<f64>, Vec<f64>) = (a.iter().map(|v| v * scale).collect(), b.iter().map(|v| v * scale).collect());
        let one = [BlockSamples { baseline: &a, layer: &b }, BlockSamples { baseline: &b, layer: &b }];
        let two = [BlockSamples { baseline: &x, layer: &y }, BlockSamples { baseline: &y, layer: &y }];
        let r = bootstrap_ratio(&one, &e, Best::Lowest, 0.95, 200, 3).unwrap();
        let s = bootstrap_ratio(&two, &e, Best::Lowest, 0.95, 200, 3).unwrap();
        prop_assert!(near(r.ratio, s.ratio) && near(r.low, s.low) && near(r.high, s.high));
        prop_assert!(near(cliffs_delta(&a, &b).unwrap(), -cliffs_delta(&b, &a).unwrap()));
        prop_assert!(near(wasserstein(&a, &b).unwrap(), wasserstein(&b, &a).unwrap()));
        let r = shape(&one, 0.95).unwrap();
        let s = shape(&two, 0.95).unwrap();
        prop_assert!((r.shift_percent - s.shift_percent).abs() <= 1e-6 * r.shift_percent.abs().max(1.0));
        prop_assert!(near(r.distance, s.distance));
    }

    #[test]
    fn hodges_lehmann_is_the_median_of_all_differences(
        a in prop::collection::vec(0..4_i32, 1..70), b in prop::collection::vec(0..4_i32, 1..70), fine in any::<bool>(),
    ) {
        // Whole numbers are all ties; with a fraction each there are none.
        let values = |v: &[i32], step: f64| -> Vec<f64> {
            v.iter().enumerate().map(|(i, x)| f64::from(*x) + if fine { step * i as f64 } else { 0.0 }).collect()
        };
        let a = values(&a, 1e-3);
        let b = values(&b, 1.7e-3);
        let mut all: Vec<f64> = b.iter().flat_map(|y| a.iter().map(move |x| y - x)).collect();
        all.sort_by(f64::total_cmp);
        let k = all.len() / 2;
        let expected = if all.len() % 2 == 1 { all[k] } else { f64::midpoint(all[k - 1], all[k]) };
        if let Ok(shift) = hodges_lehmann(&a, &b, 0.9) {
            prop_assert_eq!(shift.mean, expected);
        }
    }

    #[test]
    fn any_samples_at_all_are_survived(
        x in prop::collection::vec(prop::num::f64::ANY, 0..30),
        y in prop::collection::vec(prop::num::f64::POSITIVE | prop::num::f64::SUBNORMAL, 0..30),
        e in estimator(), seed in any::<u64>(),
    ) {
        let blocks = [BlockSamples { baseline: &x, layer: &y }, BlockSamples { baseline: &y, layer: &y }];
        let same = [BlockSamples { baseline: &y, layer: &y }; 3];
        for b in [&blocks[..], &same[..]] {
            if let Ok(r) = bootstrap_ratio(b, &e, Best::Highest, 0.95, 100, seed) {
                prop_assert!(r.low.is_finite() && r.high.is_finite() && r.low <= r.high && !r.std_error.is_nan());
            }
            let _ = shape(b, 0.95);
        }
        let _ = (hodges_lehmann(&x, &y, 0.9), wasserstein(&y, &x), cliffs_delta(&x, &y));
        let _ = (hodges_lehmann(&y, &y, 0.9), series_warnings(&[&y, &y, &y]), block_warnings(&y));
        let _ = (series_warnings(&[&x, &y]), block_warnings(&x), change_point(&x), lag1(&x), warm_up_cut(&x));
        let designs: [&[f64]; 2] = [&x, &y];
        let _ = components(&[designs.to_vec(), vec![&y]]).map(|c| optimum(&c, &Costs { boot: 1.0, process: 0.1, sample: 0.01 }));
        let bits = x.first().copied().unwrap_or(0.0);
        let _ = (blocks_needed(bits, 0.02, 0.95), blocks_needed(0.02, bits, 0.95), VariancePrior::estimate(&[(bits, bits); 4]));
    }

    #[test]
    fn adjusted_p_values_keep_order_and_never_shrink(p in prop::collection::vec(0.0..=1.0_f64, 1..30)) {
        for adjusted in [holm(&p), benjamini_hochberg(&p)] {
            for i in 0..p.len() {
                prop_assert!(adjusted[i] >= p[i] * (1.0 - 1e-15) && adjusted[i] <= 1.0);
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || adjusted[i] <= adjusted[j]);
                }
            }
        }
    }
}
