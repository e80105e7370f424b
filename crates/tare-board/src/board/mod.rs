//! The scoreboard as a value: all written forms read it, and the JSON form is its serialisation.

mod busy;
mod choices;
mod measure;
mod parts;
mod sandbox;
mod sweep;

pub use crate::figures::{Figures, Mean, Pair, Ratio, Subtracted};
pub use busy::Busy;
pub use choices::{Choice, ChoiceOf, Chosen, HangsOn};
pub use measure::{Measure, Words};
pub use parts::{
    Counts, FailedBoot, LayerSummary, Method, OverallFloor, Presence, Provenance, Unavailable,
};
pub use sandbox::{Alive, AtState, Beside, Estimate, Pays, Phase, Restored, Sandbox, Tails};

pub use sweep::{
    BestSetting, CountedEffect, Curve, CurvePoint, Effect, Explained, Factor, Interaction,
    Response, Setting, Sweep,
};

use crate::{Comment, Finding, SampleSummary};
use serde::Serialize;
use tare_proto::{Better, Unit, Untrusted};
use tare_stats::{Shape, ShownInterval};

/// Everything a campaign says, ready to be written out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scoreboard {
    /// Name of the layer that the others are divided by.
    pub baseline: Untrusted,
    /// Whether the campaign ran to its end: `finished`, `interrupted`, `running`.
    pub state: String,
    /// How the numbers were made.
    pub method: Method,
    /// How much was measured.
    pub counts: Counts,
    /// What others on the machine did to the measurement; none where they did nothing that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<Busy>,
    /// Every layer of the campaign, in its order, the baseline among them.
    pub layers: Vec<LayerSummary>,
    /// Geometric means by suite, what is measured and layer.
    pub geomeans: Vec<Geomean>,
    /// What each of these hangs on, of layers that were measured in several blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hangs_on: Vec<HangsOn>,
    /// One row per benchmark, in the campaign's order.
    pub rows: Vec<Row>,
    /// Indices of the suites that publish a baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indices: Vec<Index>,
    /// What the suite `sandbox` says of each layer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sandboxes: Vec<Sandbox>,
    /// What the knobs of a sweep do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sweeps: Vec<Sweep>,
    /// What the baseline against itself says over all benchmarks.
    pub floor: OverallFloor,
    /// What should be known when reading the rest.
    pub warnings: Vec<tare_store::Warning>,
    /// Boots that ended early.
    pub failed_boots: Vec<FailedBoot>,
    /// Where the numbers come from and how to repeat them.
    pub provenance: Provenance,
}

impl Scoreboard {
    /// The layers that are weighed, in the order of every row's cells: all but the baseline.
    pub fn others(&self) -> impl Iterator<Item = &LayerSummary> {
        self.layers.iter().filter(|layer| !layer.baseline)
    }
}

/// One benchmark on every layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// `family/name`.
    pub benchmark: Untrusted,
    /// What is measured.
    pub about: Untrusted,
    /// Its suite.
    pub suite: Untrusted,
    /// What a value means.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// The host measured it, around the whole layer (start, footprint): it is in no geometric mean.
    pub by_host: bool,
    /// How each series was reduced to one value.
    pub estimator: Untrusted,
    /// How often the mix of its suite does it; none outside of such suites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The baseline's mean over its blocks; a block's value is the geometric mean of its two boots.
    pub baseline: Option<Mean>,
    /// What the baseline against itself says (A/A).
    pub floor: Option<Floor>,
    /// The baseline's samples.
    pub samples: Option<SampleSummary>,
    /// The tails of the baseline's, where every sample is a whole start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tails: Option<Tails>,
    /// What the baseline's samples show.
    pub findings: Vec<Finding>,
    /// One cell per layer of [`Scoreboard::others`], in that order.
    pub cells: Vec<Cell>,
}

/// One benchmark on one layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The layer's name.
    pub layer: Untrusted,
    /// Whether there is a number.
    pub presence: Presence,
    /// Why there is none.
    pub why: Option<Untrusted>,
    /// Layer / baseline, paired within the blocks.
    pub ratio: Option<Ratio>,
    /// The ratio by either figure: one of them is `ratio`.
    #[serde(skip_serializing_if = "Figures::is_empty")]
    pub figures: Figures,
    /// The means behind the ratio.
    pub pair: Option<Pair>,
    /// Where most of what was measured is subtracted, on this layer or on the baseline: how much, and the ratio without the
    /// subtraction. Such a row is in no geometric mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtracted: Option<Subtracted>,
    /// The noise floor of this layer's verdict where it is not the row's: the layer takes no turns and is divided by series
    /// that the baseline took once more, all samples at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// The layer's samples.
    pub samples: Option<SampleSummary>,
    /// Their tails, where every sample is a whole start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tails: Option<Tails>,
    /// The layer's mean over all its blocks.
    pub mean: Option<Mean>,
    /// What is said about the ratio.
    pub verdict: Verdict,
    /// When undecided: how many more blocks would likely decide.
    pub more_blocks: Option<usize>,
    /// p-value of "the ratio is 1", corrected.
    pub p_difference: Option<f64>,
    /// p-value of "the ratio lies outside the margin", corrected.
    pub p_equivalence: Option<f64>,
    /// The interval that shows an equivalence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownInterval>,
    /// Location and spread against the baseline, each with its interval.
    pub shape: Option<Shape>,
    /// The ratio by hierarchical bootstrap, from the layer's and the baseline's first boots: a check of the interval.
    pub bootstrap: Option<Ratio>,
    /// What samples and blocks show beside that: trends, modes, changes, autocorrelation.
    pub findings: Vec<Finding>,
    /// What should be known when reading this cell.
    pub comments: Vec<Comment>,
}

/// The noise floor of one benchmark: the baseline's second boot of a block against its first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Floor {
    /// Second / first, which should be 1.
    pub ratio: Ratio,
    /// Nothing up to this ratio (or its inverse) is called different; none with one block.
    pub bound: Option<f64>,
    /// The baseline was called different from itself. It should not be.
    pub called_different: bool,
}

/// What is said about a ratio. Worse and better are about cost, whichever way the unit points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The layer costs more than the baseline: `slower` (of memory heavier, of instructions costlier).
    #[serde(rename = "slower")]
    Worse,
    /// The layer costs less: `faster` (of memory lighter, of instructions cheaper).
    #[serde(rename = "faster")]
    Better,
    /// Shown to be the same within the margin.
    Equivalent,
    /// Every single value is the same (of two campaigns, see [`crate::ComparedRow`]).
    Identical,
    /// Neither a difference nor equivalence is shown.
    Undecided,
    /// There is no interval to judge.
    None,
}

/// The geometric mean of one suite's ratios on one layer, of what measures the same; benchmarks that the host
/// measured are left out, and of those with several loads all but the smallest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Geomean {
    /// The suite.
    pub suite: Untrusted,
    /// What its rows measure.
    pub measure: Measure,
    /// The layer.
    pub layer: Untrusted,
    /// Cost of the layer / cost of the baseline; rows where higher is better enter inverted.
    pub cost: Ratio,
    /// The same by either figure of the rows: one of them is `cost`.
    #[serde(skip_serializing_if = "Figures::is_empty")]
    pub figures: Figures,
    /// The same over the rows that every layer has, where these are fewer: means of layers that rest on other rows are no comparison
    /// of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedMean>,
    /// Rows it rests on.
    pub rows: usize,
    /// Rows of the suite without a number on this layer, or in fewer than two blocks.
    pub left_out: usize,
    /// Rows that are left out because most of what they measure is subtracted ([`Subtracted`]).
    pub subtracted: usize,
    /// Rows among them that are undecided.
    pub undecided: usize,
    /// The part of its logarithm that the other rows carry, 0 to 1. With less than half of it, or without a row that is itself
    /// shown to be so, the mean is called neither slower nor faster.
    pub carried: f64,
    /// What is said about it (corrected for the number of geometric means).
    pub verdict: Verdict,
    /// The interval that shows an equivalence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownInterval>,
}

/// A geometric mean over the rows that all measured layers of a campaign have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SharedMean {
    /// Cost of the layer / cost of the baseline.
    pub cost: Ratio,
    /// How many rows.
    pub rows: usize,
}

/// A suite's results at one load against what it publishes as a baseline: UnixBench's index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Index {
    /// The suite.
    pub suite: Untrusted,
    /// The load of its rows.
    pub load: u32,
    /// Every layer of the campaign, the baseline among them: the columns.
    pub layers: Vec<Untrusted>,
    /// The benchmarks.
    pub rows: Vec<IndexRow>,
    /// The geometric mean of each column.
    pub scores: Vec<Option<Score>>,
}

/// One benchmark's index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexRow {
    /// `family/name`, with its load.
    pub benchmark: Untrusted,
    /// What is published, in the benchmark's unit: it has an index of 10.
    pub baseline: f64,
    /// A layer's mean as an index, one a column.
    pub values: Vec<Option<f64>>,
}

/// The geometric mean of a layer's indices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// The mean.
    pub value: f64,
    /// Benchmarks it rests on.
    pub rows: usize,
    /// Benchmarks without a number on this layer.
    pub left_out: usize,
}
