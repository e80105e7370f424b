//! UnixBench's index: ten times a result over its baseline, and the geometric mean over rows. Results are printed with one decimal
//! less than the index was computed from, so a printed index may differ from its result by as much as that hides.

/// How a printed index of a row compares with the row's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// It follows from the result.
    Follows,
    /// It differs by no more than the result's rounding hides.
    Rounded,
    /// It is another one.
    Differs,
}

/// Half of an index's last digit, and a little for the arithmetic.
const HALF_DIGIT: f64 = 0.0501;

pub(crate) fn index(result: f64, baseline: f64) -> f64 {
    10.0 * result / baseline
}

/// What a row's printed index is worth.
pub(crate) fn printed(printed: f64, result: f64, baseline: f64) -> Printed {
    match (index(result, baseline) - printed).abs() {
        gap if gap > HALF_DIGIT + 0.5 / baseline => Printed::Differs,
        gap if gap > HALF_DIGIT => Printed::Rounded,
        _ => Printed::Follows,
    }
}

/// The score of rows with these results and baselines, all above 0, and how far a printed one may be off.
pub(crate) fn score(rows: &[(f64, f64)]) -> Score {
    let count = rows.len() as f64;
    let logs: f64 = rows.iter().map(|(result, baseline)| index(*result, *baseline).ln()).sum();
    let hidden: f64 = rows.iter().map(|(result, _)| 0.05 / result).sum();
    let value = (logs / count).exp();
    Score { value, tolerance: HALF_DIGIT + value * hidden / count }
}

pub(crate) struct Score {
    pub(crate) value: f64,
    tolerance: f64,
}

impl Score {
    /// Whether this is what was printed, but for rounding.
    pub(crate) fn is(&self, printed: f64) -> bool {
        (printed - self.value).abs() <= self.tolerance
    }
}
