//! What one set of values says: its location and spread, the number that an estimator makes of it, its quantiles.

pub mod estimator;
pub mod summary;
pub mod tail;
