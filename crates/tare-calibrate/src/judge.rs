//! How the experiments judge rows: as a scoreboard does, with t intervals whose factors are computed once.

use tare_stats::dist::t_factor;
use tare_stats::{
    Best, Correction, LogRatio, NoiseFloor, RatioInterval, RowInput, RowVerdict, VarianceModel,
    Verdict, VerdictRules, claims,
};

/// The confidence of all intervals.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// The margin of the simulated scoreboards.
pub(crate) const MARGIN: f64 = 0.02;

/// A row of costs on the only layer.
pub(crate) fn row(interval: RatioInterval, floor: f64) -> RowInput {
    RowInput { interval, margin: MARGIN, floor, best: Best::Lowest, layer: 0 }
}

/// What is said of the rows under Holm at 5%.
pub(crate) fn judged(rows: &[RowInput], variance: VarianceModel) -> Vec<RowVerdict> {
    let rules = VerdictRules { correction: Correction::Holm, alpha: 0.05, variance };
    claims(rows, &rules)
}

pub(crate) fn is_difference(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Slower | Verdict::Faster)
}

pub(crate) fn any_difference(answers: &[RowVerdict]) -> bool {
    answers.iter().any(|answer| is_difference(answer.verdict))
}

pub(crate) fn holds(interval: &RatioInterval, truth: f64) -> bool {
    interval.low <= truth && truth <= interval.high
}

/// Factors of Student's t by number of blocks. Millions of intervals are built, and a factor takes longer than all else.
pub(crate) struct Intervals(Vec<f64>);

impl Intervals {
    /// For rows of `most` blocks at most.
    pub(crate) fn up_to(most: usize) -> Self {
        let factor =
            |n: usize| if n < 2 { f64::INFINITY } else { t_factor(CONFIDENCE, n as f64 - 1.0) };
        Self((0..=most).map(factor).collect())
    }

    /// The t interval of log ratios, one a block.
    pub(crate) fn interval(&self, logs: &[f64]) -> RatioInterval {
        self.interval_of_log(LogRatio::of_blocks(logs))
    }

    pub(crate) fn interval_of_log(&self, log: LogRatio) -> RatioInterval {
        RatioInterval::with_factor(log, CONFIDENCE, self.0[log.blocks])
    }

    /// Half the width of the interval on the log scale; infinite below two blocks.
    pub(crate) fn half_width(&self, logs: &[f64]) -> f64 {
        let factor = self.0[logs.len()];
        if factor.is_finite() { factor * LogRatio::of_blocks(logs).error } else { factor }
    }

    /// The noise floor that the baseline's log ratios to itself show, as a log ratio.
    pub(crate) fn floor(&self, logs: &[f64]) -> f64 {
        NoiseFloor::with_factor(self.interval(logs), self.0[logs.len()]).log_floor
    }
}
