//! How distributions differ, and signs that their values are not independent repetitions.

pub mod differences;
pub mod drift;
pub mod shape;
pub mod warning;
