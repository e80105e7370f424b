//! Predictions of programs: exact where the model holds, honest where it does not.

use tare_stats::{CostModel, CostTerm, ProgramCost, StatError};

fn term(group: usize, native: f64, layer: f64) -> CostTerm {
    CostTerm { group, native, layer, log_error: 0.0 }
}

fn program(native: f64, terms: &[CostTerm]) -> ProgramCost {
    ProgramCost { native, terms: terms.to_vec() }
}

#[test]
fn a_program_of_one_operation_alone_has_the_ratio_of_its_row() {
    let model = CostModel::unfitted(2);
    let found = model.predict(&program(50.0, &[term(1, 50.0, 400.0)]), 0.9).unwrap();
    assert_eq!(found.ratio, 8.0);
    assert!(found.low < 8.0 && 8.0 < found.high);
}

#[test]
fn what_no_row_explains_takes_as_long_as_natively() {
    let found = CostModel::unfitted(1).predict(&program(100.0, &[term(0, 10.0, 60.0)]), 0.9);
    assert_eq!(found.unwrap().ratio, 1.5);
}

#[test]
fn a_layer_that_adds_nothing_is_known_better_than_one_that_adds_much() {
    let model = CostModel::unfitted(1);
    let width = |layer| {
        let found = model.predict(&program(100.0, &[term(0, 50.0, layer)]), 0.9).unwrap();
        found.high / found.low
    };
    assert!(width(50.0) < 1.35, "{}", width(50.0));
    assert!(width(50.0) < width(60.0) && width(60.0) < width(500.0));
}

#[test]
fn uncertain_rows_make_wide_intervals() {
    let of = |log_error| {
        let cost = program(1.0, &[CostTerm { group: 0, native: 0.5, layer: 2.0, log_error }]);
        let found = CostModel::unfitted(1).predict(&cost, 0.9).unwrap();
        found.high / found.low
    };
    assert!(of(0.0) < of(0.2) && of(0.2) < of(0.6));
}

/// Programs with different shares of two kinds of work, on a layer where the first costs `scale` times what its row says.
fn measured(scale: f64) -> Vec<(ProgramCost, f64)> {
    let shares = [(0.1, 0.2), (0.3, 0.1), (0.5, 0.3), (0.2, 0.6), (0.7, 0.1), (0.4, 0.4)];
    let one = |(first, second): (f64, f64)| {
        let cost = program(1.0, &[term(0, first, 5.0 * first), term(1, second, 3.0 * second)]);
        (cost, 1.0 + scale * 4.0 * first + 2.0 * second)
    };
    shares.map(one).to_vec()
}

#[test]
fn programs_that_were_measured_move_the_scales_and_narrow_the_interval() {
    let model = CostModel::fit(2, &measured(1.5)).unwrap();
    // Towards 1, as a ridge pulls: 1.37 where 1.5 is right.
    assert!((model.scales[0] - 1.5).abs() < 0.15, "{model:?}");
    assert!((model.scales[1] - 1.0).abs() < 0.1, "{model:?}");
    assert!(model.left_out.iter().all(|error| error.abs() < 0.1), "{model:?}");
    let new = program(1.0, &[term(0, 0.6, 3.0), term(1, 0.2, 0.6)]);
    let found = model.predict(&new, 0.9).unwrap();
    assert!((found.ratio / 5.0 - 1.0).abs() < 0.07, "{found:?}");
    let before = CostModel::unfitted(2).predict(&new, 0.9).unwrap();
    assert!(found.high / found.low < before.high / before.low);
}

#[test]
fn rows_that_are_right_are_left_as_they_are_and_few_programs_change_nothing() {
    let model = CostModel::fit(2, &measured(1.0)).unwrap();
    assert!(model.scales.iter().all(|scale| (scale - 1.0).abs() < 1e-9), "{model:?}");
    let two = CostModel::fit(2, &measured(1.5)[..2]).unwrap();
    assert_eq!(two.scales, [1.0, 1.0]);
    assert_eq!(two.left_out.len(), 2, "and how far off they are is known");
}

#[test]
fn one_program_that_the_model_cannot_describe_leaves_the_others_alone() {
    let mut odd = measured(1.0);
    odd.push((program(1.0, &[term(0, 0.8, 4.0)]), 1.4)); // which the rows say takes 4.2 times as long
    let model = CostModel::fit(2, &odd).unwrap();
    assert!((model.scales[0] - 1.0).abs() < 0.1, "{model:?}");
    assert!(model.left_out[..6].iter().all(|error| error.abs() < 0.1), "{model:?}");
    assert!(model.left_out[6] > 1.0, "{model:?}");
}

#[test]
fn programs_that_contradict_the_model_widen_it() {
    let mut odd = measured(1.0);
    for (at, (_, ratio)) in odd.iter_mut().enumerate() {
        *ratio *= if at % 2 == 0 { 2.0 } else { 0.5 };
    }
    let (odd, even) =
        (CostModel::fit(2, &odd).unwrap(), CostModel::fit(2, &measured(1.0)).unwrap());
    assert!(odd.spread > 2.0 * even.spread, "{odd:?} {even:?}");
}

#[test]
fn what_is_no_cost_is_refused() {
    let model = CostModel::unfitted(1);
    let bad = |cost: ProgramCost| model.predict(&cost, 0.9).unwrap_err();
    assert_eq!(bad(program(0.0, &[])), StatError::NotPositive { index: 0 });
    assert_eq!(bad(program(1.0, &[term(0, f64::NAN, 1.0)])), StatError::NotFinite { index: 0 });
    assert_eq!(bad(program(1.0, &[term(0, -1.0, 1.0)])), StatError::NotFinite { index: 0 });
    let less = model.predict(&program(1.0, &[term(0, -0.1, -0.4)]), 0.9).unwrap();
    assert!((less.ratio - 0.7).abs() < 1e-9, "what another price holds too many of: {less:?}");
    let fine = program(1.0, &[]);
    assert!(matches!(model.predict(&fine, 1.0), Err(StatError::BadLevel { .. })));
    assert!(CostModel::fit(1, &[(fine, -1.0)]).is_err());
}
