//! The parts of a scoreboard other than its rows: method, counts, layers, failures, provenance.

use crate::{Note, Ratio};
use serde::Serialize;
use tare_proto::{Machine, Untrusted};
use tare_stats::Correction;
use tare_store::{Role, Scratch};

/// How the numbers were made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Method {
    /// Confidence of every interval.
    pub confidence: f64,
    /// Equivalence margin δ, as a fraction.
    pub margin: f64,
    /// How verdicts are corrected.
    pub correction: Correction,
    /// The comparisons that the correction is for.
    pub comparisons: usize,
    /// The estimator that replaced every benchmark's own.
    pub estimator: Option<String>,
}

/// How much was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Blocks with at least one boot.
    pub blocks: usize,
    /// Blocks asked for, when they were counted.
    pub planned_blocks: Option<u32>,
    /// Boots.
    pub boots: usize,
    /// Boots that ended early.
    pub failed_boots: usize,
    /// Boots that an interrupt or a kill of tare cut off.
    #[serde(skip_serializing_if = "is_none")]
    pub interrupted_boots: usize,
    /// Series with samples.
    pub series: usize,
    /// Samples.
    pub samples: usize,
}

/// One layer of the campaign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerSummary {
    /// Its name.
    pub name: Untrusted,
    /// Its kind.
    pub kind: Untrusted,
    /// Its settings as `--layer` takes them.
    pub settings: Untrusted,
    /// What it is: the program, its version and the way it works; empty where the name says it.
    pub what: Untrusted,
    /// It is what the others are divided by.
    pub baseline: bool,
    /// The layer that it is a setting of, where a sweep made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swept: Option<Untrusted>,
    /// Why it cannot run here.
    pub unavailable: Option<Unavailable>,
    /// Times it was booted.
    pub boots: usize,
    /// Boots that ended early.
    pub failed_boots: usize,
    /// Benchmarks with a number.
    pub measured: usize,
    /// What should be known when reading its column.
    pub notes: Vec<Note>,
}

/// Whether nothing was counted.
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A layer that cannot run here is a result, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unavailable {
    /// The reason.
    pub why: Untrusted,
    /// What to do about it.
    pub remedy: Untrusted,
}

/// Whether a cell has a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// It has.
    Measured,
    /// The benchmark cannot run on the layer.
    Unavailable,
    /// It should have run and failed.
    Failed,
    /// It was measured, but its samples are no times, rates or sizes.
    Rejected,
    /// The layer has a value and the baseline has none in the same block.
    Unpaired,
    /// It was not measured.
    Missing,
}

/// The noise floor over all benchmarks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverallFloor {
    /// Geometric mean over all benchmarks (but those that the host measured) of the baseline's second boot / its first.
    pub ratio: Option<Ratio>,
    /// No geometric mean up to this ratio (or its inverse) is called different.
    pub bound: Option<f64>,
    /// Rows with a floor of their own.
    pub rows: usize,
    /// Rows in which the baseline was called different from itself, corrected like every verdict.
    pub called_different: usize,
    /// The median of the rows' floors, as a ratio.
    pub median: Option<f64>,
    /// The largest of the rows' floors, as a ratio, and its benchmark.
    pub largest: Option<(f64, Untrusted)>,
}

/// A boot that ended early.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedBoot {
    /// The boot's row in the campaign and number of its log.
    pub id: i64,
    /// Its block, from 0.
    pub block: u32,
    /// The layer's name.
    pub layer: Untrusted,
    /// To weigh the layer, or for the noise floor.
    pub role: Role,
    /// 1, or 2 for the retry.
    pub attempt: u32,
    /// What ended it.
    pub why: Untrusted,
    /// Its last console lines.
    pub console: Option<Untrusted>,
}

/// Where the numbers come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Provenance {
    /// The machine that the layers ran on.
    pub machine: Machine,
    /// What the emulator of a simulated machine says of itself.
    pub emulator: Untrusted,
    /// Decides the order within every block.
    pub seed: u64,
    /// When the campaign was made, UTC.
    pub created: Untrusted,
    /// The tare that made it.
    pub tare_version: Untrusted,
    /// SHA-256 of the probe.
    pub probe_sha256: Untrusted,
    /// The command line that made it.
    pub command: Untrusted,
    /// The CPUs that every layer was pinned to.
    pub cpus: Vec<u32>,
    /// The CPU's model as the baseline saw it.
    pub cpu_model: Untrusted,
    /// The kernel as the baseline saw it.
    pub kernel: Untrusted,
    /// Where what programs write lies; `null` without programs, and where nobody knows.
    pub scratch: Option<Scratch>,
}
