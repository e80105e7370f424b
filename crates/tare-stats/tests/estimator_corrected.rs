//! Subtraction after reduction: single samples may sink below zero, values may not.

use tare_stats::{Best, Estimator, StatError};

#[test]
fn it_is_the_plain_reduction_where_every_sample_stays_positive() {
    let samples = [5.0, 7.0, 6.5, 9.0, 5.5];
    for text in ["mean", "median", "best-of-5", "best-3-of-5"] {
        let estimator: Estimator = text.parse().unwrap();
        let plain = estimator.reduce(&samples, Best::Lowest).unwrap();
        let corrected = estimator.reduce_corrected(&samples, 100.0, Best::Lowest).unwrap();
        assert!((plain - corrected).abs() < 1e-12, "{text}: {plain} {corrected}");
    }
}

#[test]
fn noise_below_zero_is_kept_and_a_value_below_zero_is_refused() {
    let estimator = Estimator::Mean;
    assert_eq!(estimator.reduce_corrected(&[-1.0, 3.0, 4.0], 10.0, Best::Lowest), Ok(2.0));
    let sunk = estimator.reduce_corrected(&[-5.0, 3.0, 1.0], 10.0, Best::Lowest);
    assert_eq!(sunk, Err(StatError::NothingLeft));
    let odd = estimator.reduce_corrected(&[-15.0, 3.0, 1.0], 10.0, Best::Lowest);
    assert_eq!(odd, Err(StatError::NotPositive { index: 0 }));
}
