//! Reading `reference/reference.json`, and comparing with a relative tolerance.
#![allow(dead_code)]

use serde_json::Value;

/// One section of the reference file, as its list of cases.
pub fn cases(section: &str) -> Vec<Value> {
    let all: Value =
        serde_json::from_str(include_str!("../../reference/reference.json")).expect("valid JSON");
    all[section].as_array().unwrap_or_else(|| panic!("section {section}")).clone()
}

pub fn num(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("{key} in {case}"))
}

pub fn list(case: &Value, key: &str) -> Vec<f64> {
    numbers(&case[key])
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("array").iter().map(|v| v.as_f64().expect("number")).collect()
}

/// `got` equals `want` within the relative tolerance (absolute near zero).
#[track_caller]
pub fn close(got: f64, want: f64, tolerance: f64) {
    let off = (got - want).abs();
    assert!(
        off <= tolerance * want.abs() || off <= 1e-14,
        "got {got:e}, want {want:e}, off {off:e}"
    );
}
