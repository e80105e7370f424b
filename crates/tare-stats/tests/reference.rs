//! Every statistic against the values of `reference/make.py` (SciPy, NumPy, statsmodels).

mod common;

use common::{cases, close, list, num, numbers};
use serde_json::Value;
use tare_stats::*;

#[test]
fn student_t_and_normal() {
    for c in cases("t_two_sided") {
        close(dist::t_two_sided(num(&c, "t"), num(&c, "df")), num(&c, "p"), 1e-9);
    }
    for c in cases("t_critical") {
        close(dist::t_critical(num(&c, "tail"), num(&c, "df")), num(&c, "t"), 1e-9);
    }
    for c in cases("normal_quantile") {
        close(dist::normal_quantile(num(&c, "p")), num(&c, "z"), 1e-9);
    }
    for c in cases("normal_lower") {
        close(dist::normal_lower(num(&c, "z")), num(&c, "p"), 1e-9);
    }
}

#[test]
fn trigamma_and_its_inverse() {
    for c in cases("trigamma") {
        close(dist::trigamma(num(&c, "x")), num(&c, "y"), 1e-11);
        close(dist::trigamma_inverse(num(&c, "y")), num(&c, "x"), 1e-9);
    }
}

#[test]
fn summaries() {
    for c in cases("summary") {
        let x = list(&c, "x");
        close(mean(&x).unwrap(), num(&c, "mean"), 1e-14);
        close(sample_sd(&x).unwrap(), num(&c, "sd"), 1e-12);
        close(median(&x).unwrap(), num(&c, "median"), 1e-14);
        let interval = mean_interval(&x, 0.95).unwrap();
        close(interval.low, num(&c, "low"), 1e-10);
        close(interval.high, num(&c, "high"), 1e-10);
        let width = 100.0 * (num(&c, "high") - num(&c, "low")) / num(&c, "mean");
        close(interval.width_percent(), width, 1e-9);
        for q in c["quantiles"].as_array().unwrap() {
            close(quantile(&x, num(q, "p")).unwrap(), num(q, "q"), 1e-13);
        }
    }
}

#[test]
fn estimators() {
    let reduce =
        |name: &str, x: &[f64], best| name.parse::<Estimator>().unwrap().reduce(x, best).unwrap();
    for c in cases("estimators") {
        let x = list(&c, "x");
        close(reduce("mean", &x, Best::Lowest), num(&c, "mean"), 1e-14);
        close(reduce("mean-until-5%", &x, Best::Highest), num(&c, "mean"), 1e-14);
        close(reduce("median", &x, Best::Lowest), num(&c, "median"), 1e-14);
        close(reduce("best-of-5", &x, Best::Lowest), num(&c, "best_low"), 1e-12);
        close(reduce("best-of-5", &x, Best::Highest), num(&c, "best_high"), 1e-12);
        close(reduce("best-3-of-5", &x, Best::Lowest), num(&c, "keep_low"), 1e-13);
        close(reduce("best-3-of-5", &x, Best::Highest), num(&c, "keep_high"), 1e-13);
    }
}

#[test]
fn ratios() {
    for c in cases("paired") {
        let r = paired_ratio(&list(&c, "a"), &list(&c, "b"), 0.95).unwrap();
        close(r.ratio, num(&c, "ratio"), 1e-12);
        close(r.low, num(&c, "low"), 1e-9);
        close(r.high, num(&c, "high"), 1e-9);
        close(r.p_value, num(&c, "p"), 1e-8);
    }
    for c in cases("unpaired") {
        let r = unpaired_ratio(&list(&c, "a"), &list(&c, "b"), 0.9).unwrap();
        close(r.ratio, num(&c, "ratio"), 1e-12);
        close(r.df, num(&c, "df"), 1e-9);
        close(r.low, num(&c, "low"), 1e-9);
        close(r.high, num(&c, "high"), 1e-9);
        close(r.p_value, num(&c, "p"), 1e-8);
    }
}

#[test]
fn corrections() {
    for c in cases("corrections") {
        let p = list(&c, "p");
        for (got, want) in holm(&p).iter().zip(list(&c, "holm")) {
            close(*got, want, 1e-12);
        }
        for (got, want) in benjamini_hochberg(&p).iter().zip(list(&c, "bh")) {
            close(*got, want, 1e-12);
        }
    }
}

#[test]
fn two_one_sided_tests() {
    for c in cases("equivalence") {
        let interval = paired_ratio(&list(&c, "a"), &list(&c, "b"), 0.95).unwrap();
        let row = RowInput { interval, margin: 0.02, floor: 0.0, best: Best::Lowest, layer: 0 };
        let answer = verdicts(&[row], Correction::None, 0.05)[0];
        close(answer.p_equivalence, num(&c, "equivalence"), 1e-7);
        close(answer.p_difference, num(&c, "difference"), 1e-7);
    }
}

#[test]
fn geometric_means() {
    for c in cases("geomean") {
        let rows: Vec<Vec<f64>> = c["rows"].as_array().unwrap().iter().map(numbers).collect();
        let suite = suite_geomean(&rows, 0.95).unwrap();
        close(suite.interval.ratio, num(&c, "ratio"), 1e-12);
        close(suite.interval.low, num(&c, "low"), 1e-9);
        close(suite.interval.high, num(&c, "high"), 1e-9);
    }
}

#[test]
fn geometric_means_of_rows_that_ended_after_different_numbers_of_blocks() {
    let rows = |case: &Value| -> Vec<Vec<Option<f64>>> {
        let row = |row: &Value| row.as_array().unwrap().iter().map(Value::as_f64).collect();
        case["rows"].as_array().unwrap().iter().map(row).collect()
    };
    for c in cases("geomean_sparse") {
        let suite = suite_geomean_sparse(&rows(&c), 0.95).unwrap();
        close(suite.interval.ratio, num(&c, "ratio"), 1e-12);
        close(suite.interval.df, num(&c, "df"), 1e-9);
        close(suite.interval.low, num(&c, "low"), 1e-9);
        close(suite.interval.high, num(&c, "high"), 1e-9);
    }
    for c in cases("geomean_disjoint") {
        let suite = suite_geomean_sparse(&rows(&c), 0.95).unwrap();
        close(suite.interval.df, num(&c, "df"), 1e-9);
    }
}

#[test]
fn moderated_variances() {
    for c in cases("moderated") {
        let variances = list(&c, "variances");
        let df = num(&c, "df");
        let rows: Vec<(f64, f64)> = variances.iter().map(|v| (*v, df)).collect();
        let prior = VariancePrior::estimate(&rows).unwrap();
        close(prior.variance, num(&c, "s0"), 1e-7);
        match c["d0"].as_f64() {
            Some(d0) => close(prior.df, d0, 1e-6),
            None => assert!(prior.df.is_infinite()),
        }
        for (v, want) in variances.iter().zip(list(&c, "posterior")) {
            close(moderate(*v, df, &prior).0, want, 1e-6);
        }
    }
}
