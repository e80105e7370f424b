//! What a verdict rests on where the interval printed beside it does not show that: of an equivalence, and of a geometric mean.

use crate::words::{why_open, word};
use tare_board::format::{count, ratio_and_interval};
use tare_board::{Geomean, Measure, Ratio, Verdict};
use tare_stats::ShownInterval;

/// Why a geometric mean with an interval is undecided: by itself, or since its rows do not carry it.
pub(crate) fn why_open_mean(mean: &Geomean, margin: f64) -> String {
    let differs =
        mean.cost.low.is_some_and(|low| low > 1.0) || mean.cost.high.is_some_and(|high| high < 1.0);
    if !differs || mean.carried >= 0.5 {
        return why_open(&mean.cost, margin);
    }
    let rows = count(mean.rows, "row");
    match mean.undecided == mean.rows {
        true => format!("none of its {rows} is decided by itself"),
        false => format!("{} of its {rows} are undecided and carry most of it", mean.undecided),
    }
}

/// A ratio and the interval that shows it to be equivalent: `1.004`, `90% CI 0.985–1.019`.
pub(crate) fn shown(ratio: &Ratio, shown: &ShownInterval) -> (String, String) {
    let tested = Ratio { low: Some(shown.low), high: Some(shown.high), ..*ratio };
    let (value, interval) = ratio_and_interval(&tested);
    // Tenths of a percent, rounded down: the interval is not said to be surer than it is.
    let confidence = (shown.confidence * 1e3 + 1e-6).floor() / 10.0;
    (value, format!("{confidence}% CI {}", interval.unwrap_or_default()))
}

/// The word for an equivalence; with the interval that shows it where the `ratio` beside it has one that reaches beyond the margin.
pub(crate) fn equivalent(
    ratio: Option<&Ratio>,
    tested: Option<&ShownInterval>,
    margin: f64,
) -> String {
    let word = word(Verdict::Equivalent, Measure::Speed);
    let beyond = |ratio: &&Ratio| {
        let ends = ratio.low.zip(ratio.high);
        ends.is_some_and(|(low, high)| high >= 1.0 + margin || low <= 1.0 / (1.0 + margin))
    };
    match ratio.filter(beyond).zip(tested) {
        Some((ratio, tested)) => format!("{word} ({})", shown(ratio, tested).1),
        None => word.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_said_with_its_own_confidence_and_never_more() {
        let said = |confidence: f64| {
            let ratio = Ratio { value: 1.004, low: Some(0.978), high: Some(1.031), blocks: 5 };
            shown(&ratio, &ShownInterval { low: 0.985, high: 1.0187, confidence })
        };
        assert_eq!(said(0.9), ("1.004".into(), "90% CI 0.985–1.019".into()));
        assert_eq!(said(1.0 - 0.1).1, "90% CI 0.985–1.019");
        assert_eq!(said(1.0 - 0.1 / 28.0).1, "99.6% CI 0.985–1.019");
    }

    #[test]
    fn an_equivalence_whose_own_interval_reaches_beyond_the_margin_says_what_shows_it() {
        let ratio = |high| Ratio { value: 1.004, low: Some(0.99), high: Some(high), blocks: 5 };
        let tested = ShownInterval { low: 0.99, high: 1.0187, confidence: 0.9 };
        let said = |high| equivalent(Some(&ratio(high)), Some(&tested), 0.02);
        assert_eq!(said(1.01), "equivalent");
        assert_eq!(said(1.031), "equivalent (90% CI 0.990–1.019)");
    }
}
