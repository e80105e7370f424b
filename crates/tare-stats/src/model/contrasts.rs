//! Tests of what a design's settings differ by, with a variance that all of its settings have told.
//!
//! Effects, steps and interactions of one design are contrasts of the same values. They depend on each other and have other scales
//! (an interaction varies twice as much as an effect), so their variances are no sample to shrink them towards: that makes them
//! look alike, and some far too small. What is a sample are contrasts of the settings that are orthogonal to each other.

use crate::check;
use crate::error::StatError;
use crate::interval::ratio::{LogRatio, RatioInterval};
use crate::series::summary::{mean_of, sd_of};
use crate::variance::moderate::{VariancePrior, moderate};

/// What the settings of a design vary by from block to block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DesignNoise {
    prior: VariancePrior,
    /// Degrees of freedom of all orthogonal contrasts together: what no moderated variance has more than.
    df: f64,
}

impl DesignNoise {
    /// From one row a block, with one logarithm a setting, in the same order.
    ///
    /// # Errors
    /// [`StatError::TooFew`] below two blocks or four settings, or where they hardly vary; rows of other lengths, values that are
    /// not finite.
    pub fn of(blocks: &[Vec<f64>]) -> Result<DesignNoise, StatError> {
        check::at_least(blocks.len(), 2)?;
        let settings = blocks[0].len();
        for block in blocks {
            check::same_length(settings, block.len())?;
            check::finite(block)?;
        }
        check::at_least(settings, 4)?;
        let own = (blocks.len() - 1) as f64;
        let spreads: Vec<(f64, f64)> = (1..settings)
            .map(|at| {
                let values: Vec<f64> = blocks.iter().map(|block| helmert(block, at)).collect();
                (sd_of(&values, mean_of(&values)).powi(2), own)
            })
            .collect();
        let prior = VariancePrior::estimate(&spreads)?;
        Ok(DesignNoise { prior, df: own * spreads.len() as f64 })
    }

    /// What a contrast is tested with that has this interval of its own and whose settings' weights have this sum of squares
    /// ([`crate::Factorial::weight`]).
    pub fn moderated(&self, own: &RatioInterval, weight: f64) -> RatioInterval {
        if !(weight > 0.0 && own.df.is_finite()) {
            return *own;
        }
        let (variance, df) = moderate(own.log_sd.powi(2) / weight, own.df, &self.prior);
        let sd = (variance * weight).sqrt();
        let parts = LogRatio {
            mean: own.log_ratio,
            sd,
            error: sd / (own.blocks as f64).sqrt(),
            df: df.min(self.df),
            blocks: own.blocks,
            paired: own.paired,
        };
        RatioInterval::new(parts, own.confidence)
    }
}

/// The setting `at` against the mean of those before it, scaled to the variance of one setting: contrasts that are orthogonal to
/// each other and to the mean of all.
fn helmert(block: &[f64], at: usize) -> f64 {
    let before = at as f64;
    (mean_of(&block[..at]) - block[at]) * (before / (before + 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::ratio::ratio_of_logs;

    /// Five blocks of six settings whose values follow no rule.
    fn blocks() -> Vec<Vec<f64>> {
        let value =
            |block: usize, at: usize| 0.01 * ((block * 31 + at * 17 + block * at * 7) as f64).sin();
        (0..5).map(|block| (0..6).map(|at| value(block, at)).collect()).collect()
    }

    #[test]
    fn contrasts_are_scaled_to_one_setting() {
        let weights: Vec<f64> = (0..6)
            .map(|at| {
                let mut unit = vec![0.0; 6];
                unit[at] = 1.0;
                helmert(&unit, 3)
            })
            .collect();
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        assert!((squares - 1.0).abs() < 1e-12 && weights.iter().sum::<f64>().abs() < 1e-12);
    }

    #[test]
    fn a_contrast_that_seems_not_to_vary_is_tested_with_what_all_settings_vary_by() {
        let noise = DesignNoise::of(&blocks()).expect("enough settings");
        let still = ratio_of_logs(&[0.02; 5], 0.95).expect("five blocks");
        let tested = noise.moderated(&still, 2.0);
        assert!(still.std_error == 0.0 && tested.std_error > 0.001, "{tested:?}");
        assert!(tested.df <= 20.0, "five contrasts of four degrees of freedom: {tested:?}");
        let twice = noise.moderated(&still, 8.0);
        assert!((twice.std_error / tested.std_error - 2.0).abs() < 1e-9, "its scale is kept");
        assert!(
            DesignNoise::of(&blocks()[..1]).is_err()
                && DesignNoise::of(&[vec![0.0; 3], vec![1.0; 3]]).is_err()
        );
    }
}
