//! Ratios with their intervals: of a row, of its rounds, resampled, and of a whole suite.

pub mod bootstrap;
pub mod geomean;
pub mod ratio;
pub mod rounds;
