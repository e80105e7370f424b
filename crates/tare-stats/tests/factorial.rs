//! Main effects and interactions against statsmodels (`reference/factorial.py`), and designs that cannot be fitted.

mod common;

use common::{close, list, num};
use serde_json::Value;
use tare_stats::{Factorial, StatError};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../reference/factorial.json")).expect("valid JSON")
}

fn whole(value: &Value) -> usize {
    value.as_u64().expect("a whole number") as usize
}

fn wholes(value: &Value) -> Vec<usize> {
    value.as_array().expect("a list").iter().map(whole).collect()
}

fn model(case: &Value) -> Factorial {
    let points: Vec<Vec<usize>> =
        case["points"].as_array().expect("points").iter().map(wholes).collect();
    Factorial::new(&wholes(&case["levels"]), &points, case["pairs"] == true).expect("estimable")
}

#[test]
fn effects_are_those_of_statsmodels() {
    let cases = cases();
    assert_eq!(cases.len(), 9);
    for case in &cases {
        let model = model(case);
        let values = list(case, "values");
        let fit = model.fit(&values).expect("a fit");
        close(fit.explained.expect("they vary"), num(case, "explained"), 1e-10);
        for told in case["means"].as_array().expect("means") {
            let at = (whole(&told["factor"]), whole(&told["level"]));
            near(fit.mean(&[at]), num(told, "value"));
        }
        for told in case["effects"].as_array().expect("effects") {
            let found = fit.effect(whole(&told["factor"]), whole(&told["level"]));
            near(found, num(told, "value"));
        }
        for told in case["interactions"].as_array().expect("interactions") {
            let factors = wholes(&told["factors"]);
            let levels = wholes(&told["levels"]);
            let found = fit.interaction((factors[0], levels[0]), (factors[1], levels[1]));
            near(found, num(told, "value"));
        }
    }
}

/// Equal but for rounding, also where the truth is zero.
#[track_caller]
fn near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-10, "got {got:e}, want {want:e}");
}

#[test]
fn without_noise_every_effect_is_what_was_put_in() {
    let rows = [0.0, 0.1, -0.4];
    let columns = [0.0, 1.0];
    let points: Vec<Vec<usize>> = (0..3).flat_map(|a| (0..2).map(move |b| vec![a, b])).collect();
    let of = |p: &Vec<usize>| {
        5.0 + rows[p[0]] + columns[p[1]] + if p[..] == [2, 1] { 0.25 } else { 0.0 }
    };
    let values: Vec<f64> = points.iter().map(of).collect();
    let model = Factorial::new(&[3, 2], &points, true).expect("estimable");
    let fit = model.fit(&values).expect("a fit");
    near(fit.interaction((0, 2), (1, 1)), 0.25);
    near(fit.interaction((0, 1), (1, 1)), 0.0);
    near(fit.mean(&[(0, 2), (1, 1)]), 5.85);
    // An effect is the average over the other factor: half of the pair's own part is in it.
    near(fit.effect(0, 2), -0.4 + 0.125);
    near(fit.effect(1, 1), 1.0 + 0.25 / 3.0);
}

#[test]
fn a_design_that_cannot_tell_effects_apart_is_refused() {
    let refused = |levels: &[usize], points: &[Vec<usize>], pairs| {
        Factorial::new(levels, points, pairs).expect_err("refused")
    };
    // Two factors that always change together; fewer settings than effects; a pair in a half fraction of three factors.
    assert_eq!(
        refused(&[2, 2], &[vec![0, 0], vec![1, 1], vec![0, 0]], false),
        StatError::NotEstimable
    );
    assert_eq!(refused(&[3], &[vec![0], vec![2]], false), StatError::NotEstimable);
    let half = [vec![0, 0, 0], vec![0, 1, 1], vec![1, 0, 1], vec![1, 1, 0]];
    assert_eq!(refused(&[2, 2, 2], &half, true), StatError::NotEstimable);
    assert!(Factorial::new(&[2, 2, 2], &half, false).is_ok());
    assert_eq!(refused(&[2], &[], false), StatError::Empty);
    assert_eq!(refused(&[2], &[vec![2]], false), StatError::BadSetting { name: "a point's level" });
    assert_eq!(
        refused(&[2, 2], &[vec![0]], false),
        StatError::LengthMismatch { left: 1, right: 2 }
    );
    let model = Factorial::new(&[2], &[vec![0], vec![1]], false).expect("estimable");
    assert_eq!(model.fit(&[1.0]).err(), Some(StatError::LengthMismatch { left: 1, right: 2 }));
    assert_eq!(model.fit(&[1.0, f64::NAN]).err(), Some(StatError::NotFinite { index: 1 }));
    assert_eq!(model.fit(&[2.0, 2.0]).expect("a fit").explained, None, "nothing varies");
}
