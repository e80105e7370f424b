//! The meta-analysis over hosts against `reference/meta.py`, an implementation of its own, and against what R's metafor prints.

mod common;

use common::{close, list, num};
use serde_json::Value;
use tare_stats::{StatError, Study, pool};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../reference/meta.json")).expect("valid JSON")
}

fn studies(case: &Value) -> Vec<Study> {
    let effects = list(case, "effects");
    let variances = list(case, "variances");
    let pairs = effects.into_iter().zip(variances);
    pairs.map(|(effect, variance)| Study { effect, variance }).collect()
}

#[test]
fn every_case_of_the_reference() {
    for case in cases() {
        let pooled = pool(&studies(&case), num(&case, "confidence")).unwrap();
        // A maximum is found to the root of a double's precision, a zero to all of it.
        let near = |got: f64, key: &str| {
            let want = num(&case, key);
            let off = (got - num(&case, key)).abs();
            assert!(off <= 2e-6 * want.abs().max(1e-3), "{}: {key}: {got} {want}", case["name"]);
        };
        near(pooled.tau_squared, "tau_squared");
        near(pooled.mean, "mean");
        near(pooled.std_error, "std_error");
        near(pooled.low, "low");
        near(pooled.high, "high");
        near(pooled.next_low, "next_low");
        near(pooled.next_high, "next_high");
        near(pooled.i_squared, "i_squared");
        close(pooled.q, num(&case, "q"), 1e-9);
    }
}

#[test]
fn the_trials_of_the_bcg_vaccine_as_metafor_prints_them() {
    let pooled = pool(&studies(&cases()[0]), 0.95).unwrap();
    let shown = |value: f64, digits: usize| format!("{value:.digits$}");
    assert_eq!(shown(pooled.tau_squared, 4), "0.3132");
    assert_eq!(shown(pooled.mean, 4), "-0.7145");
    assert_eq!(shown(100.0 * pooled.i_squared, 2), "92.22");
    assert_eq!(shown(pooled.q, 4), "152.2330");
    assert!(pooled.next_low < pooled.low && pooled.next_high > pooled.high);
}

#[test]
fn hosts_that_agree_have_no_variance_between_them() {
    let alike = cases().pop().unwrap();
    let pooled = pool(&studies(&alike), 0.95).unwrap();
    assert_eq!((pooled.tau_squared, pooled.i_squared), (0.0, 0.0));
}

#[test]
fn what_cannot_be_pooled_is_an_error() {
    let study = |effect, variance| Study { effect, variance };
    let one = pool(&[study(0.0, 1.0)], 0.95);
    assert_eq!(one, Err(StatError::TooFew { have: 1, need: 2 }));
    let flat = pool(&[study(0.0, 1.0), study(0.0, 0.0)], 0.95);
    assert_eq!(flat, Err(StatError::NotPositive { index: 1 }));
    let wild = pool(&[study(f64::NAN, 1.0), study(0.0, 1.0)], 0.95);
    assert_eq!(wild, Err(StatError::NotFinite { index: 0 }));
    assert!(pool(&[study(0.0, 1.0), study(0.0, 1.0)], 1.0).is_err());
}
