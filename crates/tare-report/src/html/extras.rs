//! What a report may show beside the scoreboard, when it was measured.

pub use crate::svg::figure::load::{LoadCurve, LoadPoint};
pub use crate::svg::figure::usage::Usage;

/// Measurements that stand beside the samples. Empty where nothing was recorded; the page then says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extras {
    /// Events counted beside series.
    pub counters: Vec<Counter>,
    /// Load curves by benchmark (index in the campaign).
    pub curves: Vec<(usize, LoadCurve)>,
    /// CPU time by benchmark (index in the campaign).
    pub usage: Vec<(usize, Usage)>,
}

/// Events of one kind on one layer, per operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Counter {
    /// Index of the benchmark in the campaign.
    pub benchmark: usize,
    /// Index of the layer in the campaign.
    pub layer: usize,
    /// What was counted.
    pub name: String,
    /// Mean over the boots.
    pub mean: f64,
    /// Its confidence interval, from two boots on.
    pub ci: Option<(f64, f64)>,
}
