//! What trials and searches find out before a campaign.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tare_proto::Hello;
use tare_store::StoredArtifact;

/// A layer that booted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Trial {
    /// What the probe found there.
    pub hello: Hello,
    /// From start to greeting.
    pub start: Duration,
    /// From start to complete removal.
    pub whole: Duration,
    /// The files that make the layer.
    pub artifacts: Vec<StoredArtifact>,
    /// What could not be removed.
    pub left: Vec<String>,
}

/// The loads that a search has found for one benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLoads {
    /// The benchmark.
    pub benchmark: String,
    /// In ascending order; at least one.
    pub loads: Vec<u32>,
    /// Why there are no larger ones, as part of a sentence.
    pub end: String,
}

/// What a layer costs by the rows that a campaign has while it goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct SoFar {
    /// The layer's name.
    pub layer: String,
    /// The geometric mean of its ratios to the baseline, above 1 where it costs more.
    pub ratio: f64,
    /// The number of its rows.
    pub rows: usize,
}

/// How narrow the intervals of programs on a layer will be at the end of the budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The layer's name.
    pub layer: String,
    /// The half-width of the widest, as a fraction.
    pub half_width: f64,
    /// What is narrow enough: to show equivalence, or for a ratio so far from 1.
    pub enough: f64,
    /// The budget that would do; `None` where the one that was given does, or none does that is not much larger.
    pub needed: Option<Duration>,
}
