//! What is said of a suite's rows beside their ratios: published indices, rankings by a mix, curves over loads and rates.

pub(crate) mod index;
pub mod load;
pub mod ranking;
pub(crate) mod service;
