//! How a scoreboard is computed from a campaign.

use tare_stats::{Correction, Estimator};
use tare_store::Plan;

/// What the reader may choose; the campaign's samples allow every choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Confidence of every interval; one minus it is the error rate of the verdicts.
    pub confidence: f64,
    /// Equivalence margin δ, as a fraction (0.02 for 2%).
    pub margin: f64,
    /// Reduces every series, instead of each benchmark's own estimator.
    pub estimator: Option<Estimator>,
    /// How the verdicts are corrected for the number of comparisons.
    pub correction: Correction,
}

impl Options {
    /// 95% confidence, the plan's margin, each benchmark's own estimator, Holm's correction.
    #[must_use]
    pub fn from_plan(plan: &Plan) -> Options {
        Options {
            confidence: 0.95,
            margin: plan.margin,
            estimator: None,
            correction: Correction::Holm,
        }
    }

    /// What makes these options useless, as a sentence.
    pub(crate) fn unusual_options(&self) -> Option<String> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Some(format!(
                "no intervals: a confidence of {} is not between 0 and 1",
                self.confidence
            ));
        }
        let sound = self.margin > 0.0 && self.margin.is_finite();
        (!sound).then(|| {
            format!("no verdicts: an equivalence margin of {} is not above 0", self.margin)
        })
    }
}
