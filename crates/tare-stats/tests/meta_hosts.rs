//! What is said of hosts that differ, against `reference/hosts.py`, an implementation of its own.

mod common;

use common::{list, num};
use serde_json::Value;
use tare_stats::{StatError, Study, explained, p_of_same, residuals};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../reference/hosts.json")).expect("valid JSON")
}

fn studies(case: &Value) -> Vec<Study> {
    let effects = list(case, "effects");
    let variances = list(case, "variances");
    let pairs = effects.into_iter().zip(variances);
    pairs.map(|(effect, variance)| Study { effect, variance }).collect()
}

/// Equal up to what the maximum of a likelihood is found to.
fn near(got: f64, want: f64, what: &str) {
    let off = (got - want).abs();
    assert!(off <= 5e-5 * want.abs().max(1e-6), "{what}: {got} instead of {want}");
}

#[test]
fn hosts_that_are_the_same_are_told_from_those_that_are_not() {
    for case in cases() {
        // The reference is of Welch's test alone, which is all where no host has few blocks.
        let df: Vec<f64> = list(&case, "df");
        let p = p_of_same(&studies(&case), &df, &vec![2; df.len()]).unwrap();
        let wanted = num(&case, "p_of_same");
        let name = case["name"].as_str().unwrap();
        match df.iter().all(|df| *df >= 10.0) {
            true => near(p, wanted, name),
            false => assert!(p >= wanted * (1.0 - 1e-4), "{name}: {p} {wanted}"),
        }
    }
}

#[test]
fn each_host_is_compared_with_all_others() {
    for case in cases() {
        let found = residuals(&studies(&case), num(&case, "tau_squared")).unwrap();
        let wanted = list(&case, "residuals").into_iter().zip(list(&case, "residual_p"));
        for (at, (residual, (value, p))) in found.iter().zip(wanted).enumerate() {
            let what = format!("{}, host {at}", case["name"]);
            near(residual.value, value, &what);
            near(residual.p, p, &what);
        }
    }
}

#[test]
fn an_outlier_does_not_hide_itself() {
    let case = cases().pop().unwrap();
    let found = residuals(&studies(&case), num(&case, "tau_squared")).unwrap();
    let worst = found.iter().enumerate().min_by(|a, b| a.1.p.total_cmp(&b.1.p)).unwrap();
    assert!(worst.0 == 4 && worst.1.p < 1e-6, "{worst:?}");
    assert!(found.iter().enumerate().all(|(at, r)| at == 4 || r.p > 0.01), "{found:?}");
}

#[test]
fn a_property_explains_what_hosts_differ_by_or_does_not() {
    for case in cases() {
        let part: Vec<usize> = list(&case, "part").into_iter().map(|part| part as usize).collect();
        let said = explained(&studies(&case), &part, num(&case, "confidence")).unwrap();
        let wanted = &case["explained"];
        let name = case["name"].as_str().unwrap();
        near(said.within, num(wanted, "within"), name);
        near(said.share, num(wanted, "share"), name);
        near(said.p, num(wanted, "p"), name);
        let ends = list(wanted, "lows").into_iter().zip(list(wanted, "highs"));
        for ((part, mean), (low, high)) in said.parts.iter().zip(list(wanted, "means")).zip(ends) {
            near(part.mean, mean, name);
            near(part.low, low, name);
            near(part.high, high, name);
        }
        assert_eq!(said.parts.iter().map(|part| part.studies).sum::<usize>(), part.len());
    }
}

#[test]
fn too_few_hosts_are_an_error() {
    let study = |effect| Study { effect, variance: 0.01 };
    let two = [study(0.0), study(1.0)];
    assert_eq!(residuals(&two, 0.1), Err(StatError::TooFew { have: 2, need: 3 }));
    let three = [study(0.0), study(1.0), study(2.0)];
    assert!(explained(&three, &[0, 0, 0], 0.95).is_err(), "one part");
    assert!(explained(&three, &[0, 1, 2], 0.95).is_err(), "no part has two");
    assert!(explained(&three, &[0, 1], 0.95).is_err());
    assert!(p_of_same(&two, &[4.0, 0.0], &[5, 5]).is_err());
    assert!(
        p_of_same(&two, &[4.0], &[5, 5]).is_err() && p_of_same(&two, &[4.0, 4.0], &[5]).is_err()
    );
    assert_eq!(p_of_same(&[study(0.5), study(0.5)], &[4.0, f64::INFINITY], &[5, 5]), Ok(1.0));
}
