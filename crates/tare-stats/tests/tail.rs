//! Tails and lines, against exact arithmetic: ranks from binomial sums in fractions (Python's `math.comb`), lines from Python's
//! `statistics.linear_regression`.

use tare_stats::{StatError, line, quantile_interval};

/// `n`, `p` and the ranks (from 1) of the values that end a 95% interval of the `p` quantile of `n` values.
const RANKS: [(usize, f64, Option<usize>, Option<usize>); 11] = [
    (5, 0.5, None, None),
    (6, 0.5, Some(1), Some(6)),
    (10, 0.5, Some(2), Some(9)),
    (60, 0.5, Some(22), Some(39)),
    (60, 0.95, Some(53), None),
    (72, 0.95, Some(64), Some(72)),
    (73, 0.95, Some(65), Some(73)),
    (100, 0.99, Some(97), None),
    (367, 0.99, Some(359), None),
    (368, 0.99, Some(360), Some(368)),
    (1000, 0.99, Some(983), Some(997)),
];

#[test]
fn the_ends_of_a_quantile_are_those_of_the_binomial() {
    for (n, p, low, high) in RANKS {
        // The value is its rank, in an order that is not sorted.
        let values: Vec<f64> = (0..n).map(|at| ((at * 7919) % n + 1) as f64).collect();
        let distinct: std::collections::BTreeSet<u64> = values.iter().map(|v| *v as u64).collect();
        assert_eq!(distinct.len(), n);
        let found = quantile_interval(&values, p, 0.95).unwrap();
        let rank = |end: Option<f64>| end.map(|value| value as usize);
        assert_eq!((rank(found.low), rank(found.high)), (low, high), "{n} values, p {p}");
    }
    let forty: Vec<f64> = (1..=40).map(f64::from).collect();
    let wide = quantile_interval(&forty, 0.5, 0.99).unwrap();
    assert_eq!((wide.low, wide.high), (Some(12.0), Some(29.0)));
    assert_eq!(wide.value, 20.5);
}

#[test]
fn a_quantile_of_nothing_or_of_no_level_is_refused() {
    assert_eq!(quantile_interval(&[], 0.5, 0.95), Err(StatError::Empty));
    assert_eq!(quantile_interval(&[1.0], 1.0, 0.95), Err(StatError::BadLevel { level: 1.0 }));
    assert_eq!(quantile_interval(&[1.0], 0.5, 0.0), Err(StatError::BadLevel { level: 0.0 }));
    let one = quantile_interval(&[7.0], 0.5, 0.95).unwrap();
    assert_eq!((one.value, one.low, one.high), (7.0, None, None));
    // A single value lies above the 99th percentile once in a hundred times, so it is a lower end already.
    let one = quantile_interval(&[7.0], 0.99, 0.95).unwrap();
    assert_eq!((one.value, one.low, one.high), (7.0, Some(7.0), None));
}

#[test]
fn a_line_is_that_of_least_squares() {
    let found = line(&[1.0, 2.0, 4.0, 8.0], &[21.5, 40.1, 85.2, 161.0]).unwrap();
    assert!((found.slope - 20.043_478_260_869_566).abs() < 1e-12, "{found:?}");
    assert!((found.intercept - 1.786_956_521_739_128_3).abs() < 1e-12, "{found:?}");
    let found = line(&[0.0, 0.0, 1.0, 3.0, 3.0], &[5.0, -1.0, 2.5, 10.0, 8.0]).unwrap();
    assert!((found.slope - 2.413_043_478_260_869).abs() < 1e-12, "{found:?}");
    assert!((found.intercept - 1.521_739_130_434_783_6).abs() < 1e-12, "{found:?}");
    assert_eq!(line(&[2.0, 2.0], &[1.0, 5.0]), Err(StatError::NoSpread));
    assert_eq!(line(&[2.0], &[1.0]), Err(StatError::TooFew { have: 1, need: 2 }));
    assert_eq!(line(&[1.0, 2.0], &[1.0]), Err(StatError::LengthMismatch { left: 2, right: 1 }));
}
