//! The search itself: which of many versions, in their order, is the first with the bad value.

use anyhow::Result;
use std::collections::BTreeMap;

#[derive(Debug, PartialEq)]
pub struct Found {
    /// The last version that is like the good one.
    pub good: usize,
    /// The first that is like the bad one.
    pub bad: usize,
    /// Every version that was measured, with its value; none where it could not be.
    pub seen: BTreeMap<usize, Option<f64>>,
}

/// Narrows down where the value changes between version 0 and the last of `versions`, in log₂ measurements. A version is good
/// if its value is nearer to the first's than to the last's, by ratio. One that cannot be measured is passed over for the
/// nearest to it that can.
pub fn search(
    versions: usize,
    (first, last): (f64, f64),
    mut measure: impl FnMut(usize) -> Result<Option<f64>>,
) -> Result<Found> {
    let mut good = 0;
    let mut bad = versions - 1;
    let mut seen = BTreeMap::from([(good, Some(first)), (bad, Some(last))]);
    while let Some(next) = middle(good, bad, &seen) {
        let value = measure(next)?;
        seen.insert(next, value);
        if let Some(value) = value {
            let is_good = (value / first).ln().abs() <= (value / last).ln().abs();
            *(if is_good { &mut good } else { &mut bad }) = next;
        }
    }
    Ok(Found { good, bad, seen })
}

/// The version nearest to the middle between two that has not been tried.
fn middle(good: usize, bad: usize, seen: &BTreeMap<usize, Option<f64>>) -> Option<usize> {
    let middle = good.midpoint(bad);
    let open = (good + 1..bad).filter(|at| !seen.contains_key(at));
    open.min_by_key(|at| at.abs_diff(middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search over `values`, the first and last of which are known; `None` cannot be measured.
    fn over(values: &[Option<f64>]) -> Found {
        let ends = (values[0].unwrap(), values[values.len() - 1].unwrap());
        search(values.len(), ends, |at| Ok(values[at])).unwrap()
    }

    #[test]
    fn the_first_bad_one_is_found_in_log2_steps() {
        for count in [2, 3, 17, 100] {
            for change in 1..count {
                let values: Vec<_> =
                    (0..count).map(|at| Some(if at < change { 100.0 } else { 150.0 })).collect();
                let found = over(&values);
                assert_eq!((found.good, found.bad), (change - 1, change));
                let steps = found.seen.len() - 2;
                assert!(steps as f64 <= (count as f64).log2().ceil(), "{count}: {steps}");
            }
        }
    }

    #[test]
    fn a_version_that_cannot_be_measured_is_passed_over() {
        let found = over(&[Some(1.0), Some(1.0), None, Some(2.0), Some(2.0)]);
        assert_eq!((found.good, found.bad, found.seen[&2]), (1, 3, None));
        let found = over(&[Some(1.0), None, None, Some(2.0)]);
        assert_eq!((found.good, found.bad, found.seen.len()), (0, 3, 4));
    }

    #[test]
    fn an_error_ends_it() {
        assert!(search(3, (1.0, 2.0), |_| anyhow::bail!("interrupted")).is_err());
    }
}
