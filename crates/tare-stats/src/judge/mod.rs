//! Verdicts: from ratios, the noise floor and the number of rows to slower, faster, equivalent or undecided.

pub mod correct;
pub mod floor;
pub mod input;
pub mod more_blocks;
pub mod verdict;
pub mod width;
