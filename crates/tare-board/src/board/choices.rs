//! What a layer's figure hangs on: how the scoreboard words it and the JSON form shows it.

use super::{Measure, Ratio};
use serde::Serialize;
use tare_proto::Untrusted;

/// A layer's geometric mean under each choice that was made for the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HangsOn {
    /// The layer.
    pub layer: Untrusted,
    /// The suite.
    pub suite: Untrusted,
    /// What its rows measure.
    pub measure: Measure,
    /// The least cost under any one of the options, as the whole mean would be if each of its rows moved as the option's rows do.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The choices, the one that moves the figure most first.
    pub choices: Vec<Choice>,
}

/// A choice, and what the figure is under each of its options.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// What is chosen.
    pub by: ChoiceOf,
    /// The options over the same rows, or the same rows but one; the one that the scoreboard shows is the first.
    pub options: Vec<Chosen>,
}

impl Choice {
    /// How far apart the options are: the largest cost over the least.
    #[must_use]
    pub fn factor(&self) -> f64 {
        let costs = || self.options.iter().map(|option| option.cost.value);
        costs().fold(f64::MIN, f64::max) / costs().fold(f64::MAX, f64::min)
    }
}

/// What can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceOf {
    /// The best case of an operation, or its mean.
    Figure,
    /// How many CPUs the layer has.
    Cpus,
    /// Short turns beside the other layers, or a whole series at once.
    Turns,
    /// The programs that are started begin with a C library, or do not.
    CLibrary,
    /// Which rows the mean is over.
    Rows,
}

/// An option, and the geometric mean under it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chosen {
    /// The option, in words; it may name a benchmark.
    pub option: Untrusted,
    /// Cost of the layer / cost of the baseline.
    pub cost: Ratio,
    /// Rows that it rests on.
    pub rows: usize,
}
