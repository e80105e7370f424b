//! From series to one value per block, layer, role and benchmark, and what else a series tells.

pub(crate) mod bases;
pub(crate) mod holes;
pub mod measured;
pub(crate) mod samples;
pub(crate) mod values;
