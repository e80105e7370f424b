//! Checks that every public function first applies to its input.

use crate::error::StatError;

/// At least one value, all finite.
pub(crate) fn finite(values: &[f64]) -> Result<(), StatError> {
    if values.is_empty() {
        return Err(StatError::Empty);
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(StatError::NotFinite { index }),
        None => Ok(()),
    }
}

/// At least one value, all finite and above zero: what a time or a rate must be.
pub(crate) fn positive(values: &[f64]) -> Result<(), StatError> {
    finite(values)?;
    match values.iter().position(|v| *v <= 0.0) {
        Some(index) => Err(StatError::NotPositive { index }),
        None => Ok(()),
    }
}

pub(crate) fn at_least(have: usize, need: usize) -> Result<(), StatError> {
    if have == 0 && need > 0 {
        return Err(StatError::Empty);
    }
    if have < need { Err(StatError::TooFew { have, need }) } else { Ok(()) }
}

/// A confidence or significance level, strictly between 0 and 1.
pub(crate) fn level(level: f64) -> Result<(), StatError> {
    if level > 0.0 && level < 1.0 { Ok(()) } else { Err(StatError::BadLevel { level }) }
}

pub(crate) fn same_length(left: usize, right: usize) -> Result<(), StatError> {
    if left == right { Ok(()) } else { Err(StatError::LengthMismatch { left, right }) }
}
