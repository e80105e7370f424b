//! What a verdict is made from.

use crate::error::StatError;
use crate::interval::ratio::RatioInterval;
use crate::series::estimator::Best;
use serde::Serialize;

/// One row of a scoreboard: benchmark × layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowInput {
    /// The row's ratio with its interval.
    pub interval: RatioInterval,
    /// The equivalence margin δ, a ratio: 0.02 for 2%.
    pub margin: f64,
    /// The measured noise floor, a log ratio of 0 or more ([`crate::NoiseFloor::log_floor`]).
    pub floor: f64,
    /// Which end of the row's unit is good.
    pub best: Best,
    /// The layer, as any number that is the same for all of its rows. A row's variance is shrunk towards those of the same
    /// layer's rows, because one layer may be much noisier than another.
    pub layer: usize,
}

impl RowInput {
    /// Whether the row can be tested.
    ///
    /// # Errors
    /// [`StatError::TooFew`] below two blocks; [`StatError::BadSetting`] for a margin or floor out of range, or an
    /// interval that is not made of finite numbers.
    pub fn check(&self) -> Result<(), StatError> {
        let i = &self.interval;
        if i.blocks < 2 {
            return Err(StatError::TooFew { have: i.blocks, need: 2 });
        }
        let sound =
            i.log_ratio.is_finite() && i.std_error.is_finite() && i.std_error >= 0.0 && i.df > 0.0;
        if !sound {
            return Err(StatError::BadSetting { name: "interval" });
        }
        if !(self.margin.is_finite() && self.margin > 0.0) {
            return Err(StatError::BadSetting { name: "margin" });
        }
        if self.floor >= 0.0 { Ok(()) } else { Err(StatError::BadSetting { name: "floor" }) }
    }

    pub(crate) fn log_margin(&self) -> f64 {
        self.margin.ln_1p()
    }
}
