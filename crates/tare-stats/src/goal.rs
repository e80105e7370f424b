//! One figure of the calibration, and what it should be.

use crate::simulate::Noise;
use serde::Serialize;

/// One measured property of the method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationRow {
    /// What was counted, e.g. "t interval holds the true ratio".
    pub what: &'static str,
    /// How boots varied.
    pub noise: Noise,
    /// Other settings, e.g. "150 rows, all 2%".
    pub setting: String,
    /// Blocks per campaign.
    pub blocks: usize,
    /// The share of campaigns that was counted, 0 to 1.
    pub share: f64,
    /// Simulated campaigns.
    pub repeats: usize,
    /// What the share ought to be.
    pub goal: Goal,
}

/// What a share ought to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Goal {
    /// Within these bounds.
    Between(f64, f64),
    /// No larger than this.
    AtMost(f64),
    /// No smaller than this.
    AtLeast(f64),
    /// No smaller than this, at any number of blocks.
    NoLess(f64),
    /// Reported for honesty; nothing is demanded.
    Reported,
}

impl CalibrationRow {
    /// The simulation's own standard error of `share`.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.share * (1.0 - self.share) / self.repeats.max(1) as f64).sqrt()
    }

    /// Whether the goal is met, allowing two standard errors; `None` where nothing is demanded.
    #[must_use]
    pub fn met(&self) -> Option<bool> {
        let slack = 2.0 * self.error();
        match self.goal {
            Goal::Between(low, high) => {
                Some(self.share >= low - slack && self.share <= high + slack)
            }
            Goal::AtMost(most) => Some(self.share <= most + slack),
            Goal::AtLeast(least) | Goal::NoLess(least) => Some(self.share >= least - slack),
            Goal::Reported => None,
        }
    }
}
