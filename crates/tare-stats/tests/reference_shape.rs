//! Shape, components, planning, series and bootstrap against the values of `reference/make.py`.

mod common;

use common::{cases, close, list, num, numbers};
use tare_stats::*;

#[test]
fn shift_distance_and_dominance() {
    for c in cases("shape") {
        let a = list(&c, "a");
        let b = list(&c, "b");
        close(wasserstein(&a, &b).unwrap(), num(&c, "wasserstein"), 1e-10);
        close(cliffs_delta(&a, &b).unwrap(), num(&c, "delta"), 1e-10);
        match c["low"].as_f64() {
            Some(low) => {
                let shift = hodges_lehmann(&a, &b, 0.95).unwrap();
                close(shift.mean, num(&c, "shift"), 1e-10);
                close(shift.low, low, 1e-10);
                close(shift.high, num(&c, "high"), 1e-10);
            }
            None => assert!(matches!(hodges_lehmann(&a, &b, 0.95), Err(StatError::TooFew { .. }))),
        }
    }
}

#[test]
fn shape_over_blocks() {
    for c in cases("shape_blocks") {
        let series: Vec<(Vec<f64>, Vec<f64>)> =
            c["blocks"].as_array().unwrap().iter().map(|b| (list(b, "a"), list(b, "b"))).collect();
        let blocks: Vec<BlockSamples> =
            series.iter().map(|(a, b)| BlockSamples { baseline: a, layer: b }).collect();
        let s = shape(&blocks, 0.95).unwrap();
        close(s.shift.mean, num(&c, "shift"), 1e-10);
        close(s.shift.low, num(&c, "low"), 1e-9);
        close(s.shift.high, num(&c, "high"), 1e-9);
        let spread = s.spread_ratio.unwrap();
        close(spread.ratio, num(&c, "spread"), 1e-10);
        close(spread.low, num(&c, "spread_low"), 1e-9);
        close(spread.high, num(&c, "spread_high"), 1e-9);
        close(s.distance, num(&c, "distance"), 1e-10);
    }
}

fn nested(value: &serde_json::Value) -> Vec<Vec<Vec<f64>>> {
    let boots = value.as_array().unwrap().iter();
    boots.map(|b| b.as_array().unwrap().iter().map(numbers).collect()).collect()
}

fn found(boots: &[Vec<Vec<f64>>]) -> Components {
    let borrowed: Vec<Vec<&[f64]>> =
        boots.iter().map(|b| b.iter().map(Vec::as_slice).collect()).collect();
    components(&borrowed).unwrap()
}

#[test]
fn variance_components_of_unequal_designs() {
    for c in cases("components") {
        let got = found(&nested(&c["boots"]));
        let want = |key: &str| c[key].as_f64();
        assert_eq!(got.process.is_some(), want("process").is_some());
        assert_eq!(got.sample.is_some(), want("sample").is_some());
        close(got.sample.unwrap_or(0.0), want("sample").unwrap_or(0.0), 1e-8);
        close(got.process.unwrap_or(0.0), want("process").unwrap_or(0.0).max(0.0), 1e-8);
        // Where a component was clipped, what is above it absorbs the difference.
        if want("process").unwrap_or(0.0) >= 0.0 {
            close(got.boot, want("boot").unwrap().max(0.0), 1e-7);
        }
        let negative = |key| want(key).unwrap_or(0.0) < 0.0;
        assert!(got.clipped || !(negative("boot") || negative("process")));
    }
}

#[test]
fn balanced_components_are_kaliberas_corrected_estimator() {
    for c in cases("kalibera") {
        let got = found(&nested(&c["boots"]));
        close(got.sample.unwrap(), num(&c, "t1"), 1e-9);
        close(got.process.unwrap(), num(&c, "t2").max(0.0), 1e-8);
        if num(&c, "t2") >= 0.0 {
            close(got.boot, num(&c, "t3").max(0.0), 1e-8);
        }
    }
}

#[test]
fn blocks_for_a_width() {
    for c in cases("blocks_needed") {
        let blocks = blocks_needed(num(&c, "sd"), num(&c, "width"), 0.95).unwrap();
        assert_eq!(blocks as f64, num(&c, "blocks"));
    }
    assert_eq!(blocks_needed(0.0, 0.02, 0.95), Some(2));
    assert_eq!(blocks_needed(f64::NAN, 0.02, 0.95), None);
    assert_eq!(blocks_needed(1e9, 1e-9, 0.95), None);
}

#[test]
fn repetitions_with_the_least_price() {
    for c in cases("optimum") {
        let n = |key| num(&c, key);
        let of = Components {
            boot: n("boot"),
            process: Some(n("process")),
            sample: Some(n("sample")),
            boots: 5,
            clipped: false,
        };
        let plan =
            optimum(&of, &Costs { boot: n("cb"), process: n("cp"), sample: n("cs") }).unwrap();
        close(plan.price(), n("price"), 2e-3);
        assert!((plan.processes as f64 - n("processes")).abs() <= 1.0);
        assert!((plan.samples as f64 - n("samples")).abs() <= 1.0);
    }
    let one = Components { boot: 0.0, process: None, sample: Some(1.0), boots: 3, clipped: true };
    let costs = Costs { boot: 5.0, process: 0.0, sample: 0.1 };
    assert_eq!(optimum(&one, &costs).unwrap().samples, MOST_REPETITIONS);
    assert!(optimum(&one, &Costs { sample: 0.0, ..costs }).is_err());
}

#[test]
fn series_statistics() {
    for c in cases("series") {
        let x = list(&c, "x");
        close(lag1(&x).unwrap(), num(&c, "lag1"), 1e-10);
        assert_eq!(warm_up_cut(&x).unwrap() as f64, num(&c, "cut"));
    }
}

#[test]
fn bootstrap_agrees_with_the_one_written_out_in_full() {
    for c in cases("bootstrap") {
        let series: Vec<(Vec<f64>, Vec<f64>)> =
            c["blocks"].as_array().unwrap().iter().map(|b| (list(b, "a"), list(b, "b"))).collect();
        let blocks: Vec<BlockSamples> =
            series.iter().map(|(a, b)| BlockSamples { baseline: a, layer: b }).collect();
        let got =
            bootstrap_ratio(&blocks, &Estimator::Mean, Best::Lowest, 0.95, 20_000, 7).unwrap();
        close(got.ratio, num(&c, "ratio"), 1e-12);
        close(got.std_error, num(&c, "std_error"), 0.03);
        // Both are Monte Carlo: the ends agree to a tenth of a standard error.
        let slack = 0.1 * num(&c, "std_error");
        assert!(
            (got.low.ln() - num(&c, "log_low")).abs() < slack,
            "{} {}",
            got.low.ln(),
            num(&c, "log_low")
        );
        assert!(
            (got.high.ln() - num(&c, "log_high")).abs() < slack,
            "{} {}",
            got.high.ln(),
            num(&c, "log_high")
        );
        let again =
            bootstrap_ratio(&blocks, &Estimator::Mean, Best::Lowest, 0.95, 20_000, 7).unwrap();
        assert_eq!(got, again, "the same seed gives the same interval");
    }
}
