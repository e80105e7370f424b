//! One figure of the calibration, what it should be, and how campaigns are simulated to count it.

use crate::noise::Noise;

/// One measured property of the method.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
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
#[derive(Clone, Copy, Debug, PartialEq)]
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

impl Figure {
    /// The simulation's own standard error of `share`.
    pub fn error(&self) -> f64 {
        (self.share * (1.0 - self.share) / self.repeats.max(1) as f64).sqrt()
    }

    /// Whether the goal is met, allowing two standard errors; `None` where nothing is demanded.
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

/// Campaigns to simulate: what all experiments are asked with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulation {
    /// How boots vary.
    pub noise: Noise,
    /// Blocks per campaign; of imports runs, of rows that end by themselves the most that they get.
    pub blocks: usize,
    /// Campaigns.
    pub repeats: usize,
    /// The same seed gives the same figures.
    pub seed: u64,
}

impl Simulation {
    /// A figure of these campaigns that is not counted yet.
    pub(crate) fn figure(
        &self,
        what: &'static str,
        setting: impl Into<String>,
        goal: Goal,
    ) -> Figure {
        let Simulation { noise, blocks, repeats, .. } = *self;
        Figure { what, noise, setting: setting.into(), blocks, share: 0.0, repeats, goal }
    }

    /// Simulates the campaigns, each of which says which of the figures it counts for, and fills in their shares.
    pub(crate) fn count<const N: usize>(
        &self,
        mut figures: [Figure; N],
        mut campaign: impl FnMut(u64) -> [bool; N],
    ) -> Vec<Figure> {
        let mut counts = [0_usize; N];
        for repeat in 0..self.repeats {
            for (count, yes) in counts.iter_mut().zip(campaign(repeat as u64)) {
                *count += usize::from(yes);
            }
        }
        for (figure, count) in figures.iter_mut().zip(counts) {
            figure.share = count as f64 / self.repeats.max(1) as f64;
        }
        figures.into()
    }
}
