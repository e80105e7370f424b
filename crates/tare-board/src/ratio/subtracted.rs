//! Rows that are small differences of large numbers: where most of what was measured was subtracted, the difference hangs on
//! how the two measurements were reduced, so what is shown of the row has to hold for the whole operation as well.

use crate::figures::{Ratio, Subtracted};
use crate::options::Options;
use crate::value::measured::Operation;
use crate::value::values::{BlockResult, Values};
use tare_stats::{
    Best, Correction, RatioInterval, RatioPoint, RowInput, Verdict, point_of_logs, ratio_of_logs,
    verdicts,
};

/// The part of what was measured from which on a row is called mostly subtracted.
pub(crate) const MOST: f64 = 0.5;

/// The operation with all that surrounds it, where most of it is subtracted on either side.
#[derive(Clone)]
pub(crate) struct Whole {
    /// The part that is subtracted on the layer and on the baseline.
    parts: [f64; 2],
    /// Whole operation of the layer / whole operation of the baseline.
    point: RatioPoint,
    pub(crate) interval: Option<RatioInterval>,
}

impl Whole {
    /// `None` where less than [`MOST`] is subtracted on both sides.
    pub(crate) fn of(
        values: &Values,
        baseline: usize,
        layer: usize,
        benchmark: usize,
        options: &Options,
    ) -> Option<Whole> {
        let parts = [layer, baseline].map(|layer| part(values, layer, benchmark));
        if parts.iter().all(|part| *part <= MOST) {
            return None;
        }
        let logs = values.log_ratios(layer, benchmark, Operation::Whole);
        let logs: Vec<f64> = logs.into_iter().flatten().collect();
        let interval = ratio_of_logs(&logs, options.confidence).ok();
        Some(Whole { parts, point: point_of_logs(&logs).ok()?, interval })
    }

    pub(crate) fn said(&self) -> Subtracted {
        let whole = self.interval.as_ref().map_or_else(|| Ratio::from(self.point), Ratio::from);
        Subtracted { layer: self.parts[0], baseline: self.parts[1], whole }
    }
}

/// The part of what was measured that was subtracted, over all boots of a layer.
pub(crate) fn part(values: &Values, layer: usize, benchmark: usize) -> f64 {
    let (mut subtracted, mut whole) = (0.0, 0.0);
    for found in values.all(layer, benchmark) {
        if let BlockResult::Value(value, series) = found {
            subtracted += series.subtracted;
            whole += value + series.subtracted;
        }
    }
    if whole > 0.0 { subtracted / whole } else { 0.0 }
}

/// What the whole operations of such rows show, a family of their own; `None` where there is no interval.
pub(crate) fn judge(
    wholes: &[(Option<RatioInterval>, Best)],
    margin: f64,
    correction: Correction,
    alpha: f64,
) -> Vec<Option<Verdict>> {
    let input = |&(interval, best): &(Option<RatioInterval>, Best)| {
        Some(RowInput { interval: interval?, margin, floor: 0.0, best, layer: 0 })
    };
    let inputs: Vec<RowInput> = wholes.iter().filter_map(input).collect();
    let mut answers = verdicts(&inputs, correction, alpha).into_iter();
    wholes
        .iter()
        .map(|(interval, _)| interval.and_then(|_| answers.next()).map(|a| a.verdict))
        .collect()
}

/// What may be said of a mostly subtracted row: never that the layer is faster, and nothing that the whole operation does
/// not show too. More blocks do not decide what hangs on the subtraction.
pub(crate) fn bounded(own: Verdict, whole: Option<Verdict>) -> Verdict {
    match own {
        Verdict::NoInterval => own,
        Verdict::Slower | Verdict::Equivalent if whole == Some(own) => own,
        _ => Verdict::Undecided { more_blocks: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_operation_has_to_show_it_too() {
        let open = Verdict::Undecided { more_blocks: None };
        for whole in [Verdict::Slower, Verdict::Faster, Verdict::Equivalent, open] {
            assert_eq!(bounded(Verdict::Faster, Some(whole)), open);
        }
        assert_eq!(bounded(Verdict::Slower, Some(Verdict::Slower)), Verdict::Slower);
        assert_eq!(bounded(Verdict::Slower, Some(Verdict::Equivalent)), open);
        assert_eq!(bounded(Verdict::Equivalent, Some(Verdict::Slower)), open);
        assert_eq!(bounded(Verdict::Slower, None), open);
        assert_eq!(bounded(Verdict::NoInterval, None), Verdict::NoInterval);
    }
}
