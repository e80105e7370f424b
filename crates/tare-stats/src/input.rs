//! What a verdict is made from.

use crate::estimator::Best;
use crate::ratio::RatioInterval;
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
