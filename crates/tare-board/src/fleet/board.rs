//! The result of many hosts as a value: all written forms read it, and the JSON form is its serialisation.

use super::merged::{MergedHost, MissingHost};
use crate::board::{Measure, Method, Ratio, Verdict};
use serde::Serialize;
use tare_proto::{Better, Machine, Unit, Untrusted};
use tare_stats::ShownInterval;

/// Everything that campaigns of one plan from many hosts say together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fleet {
    /// Name of the layer that the others are divided by, on each host.
    pub baseline: Untrusted,
    /// The machine that the layers ran on.
    pub machine: Machine,
    /// How the numbers were made.
    pub method: Method,
    /// The hosts that have figures.
    pub hosts: Vec<MergedHost>,
    /// Hosts that should have had some, and why they have none.
    pub missing: Vec<MissingHost>,
    /// The layers that are weighed.
    pub layers: Vec<FleetLayer>,
    /// One row per benchmark, in the plan's order.
    pub rows: Vec<FleetRow>,
    /// What should be known when reading the rest, a sentence each.
    pub warnings: Vec<Untrusted>,
    /// SHA-256 of the probe.
    pub probe_sha256: Untrusted,
}

/// A layer over all hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetLayer {
    /// Its name.
    pub name: Untrusted,
    /// Its kind.
    pub kind: Untrusted,
    /// Its settings as `--layer` takes them.
    pub settings: Untrusted,
    /// Its geometric means by suite and what is measured, as costs.
    pub means: Vec<FleetMean>,
}

/// The geometric mean of a suite's costs on a layer, over all hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetMean {
    /// The suite.
    pub suite: Untrusted,
    /// What its rows measure.
    pub measure: Measure,
    /// Cost of the layer / cost of the baseline.
    pub cost: FleetCell,
}

/// One benchmark on every layer, over all hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetRow {
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
    /// The noise floor: nothing up to this ratio (or its inverse) is called different. Of the hosts' floors together.
    pub floor: Option<f64>,
    /// One cell per layer of [`Fleet::layers`], in that order.
    pub cells: Vec<FleetCell>,
}

/// One ratio over all hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetCell {
    /// What each host says that has it, in the hosts' order.
    pub hosts: Vec<HostRatio>,
    /// What all say together; none with fewer than two hosts of two blocks.
    pub pooled: Option<PooledRatio>,
    /// What is said about the mean over hosts.
    pub verdict: Verdict,
    /// When undecided: how many more hosts would likely decide.
    pub more_hosts: Option<usize>,
    /// p-value of "the mean ratio is 1", corrected.
    pub p_difference: Option<f64>,
    /// p-value of "the mean ratio lies outside the margin", corrected.
    pub p_equivalence: Option<f64>,
    /// The interval that shows an equivalence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownInterval>,
    /// Hosts on which most of what was measured was subtracted. With one such host the row is never called different.
    pub subtracted: usize,
    /// Whether hosts differ.
    pub spread: Spread,
    /// What hosts differ by goes with these properties of theirs; those that explain it first.
    pub properties: Vec<Property>,
}

/// What one host says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HostRatio {
    /// Index into [`Fleet::hosts`].
    pub host: usize,
    /// Its ratio, with the interval of the standard error that its own verdict rests on.
    pub ratio: Ratio,
    /// It is unlike all others: the p-value of being so by chance, corrected for all hosts and rows.
    pub outlier: Option<f64>,
}

/// What all hosts say together: a random-effects meta-analysis of their log ratios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PooledRatio {
    /// The geometric mean over all hosts of which these are a sample.
    pub value: f64,
    /// Lower end of its confidence interval (Hartung and Knapp).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Lower end of the prediction interval: where the next host's ratio lies.
    pub next_low: f64,
    /// Upper end.
    pub next_high: f64,
    /// The smallest ratio of a host.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// Hosts it rests on.
    pub hosts: usize,
    /// The part of the whole variance that is between hosts, 0 to 1 (I²).
    pub i_squared: f64,
    /// Standard deviation of the log ratio between hosts (τ, by restricted maximum likelihood).
    pub tau: f64,
    /// Cochran's Q.
    pub q: f64,
    /// p-value of "all hosts have the same ratio" (Welch), corrected.
    pub p_same: f64,
}

/// Whether hosts differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spread {
    /// Fewer than two hosts can be compared.
    Unknown,
    /// They do not differ beyond their own noise.
    Alike,
    /// They differ, but the next host lies within the equivalence margin of the mean.
    Little,
    /// They differ by more.
    Wide,
}

/// A property that hosts have in groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Property {
    /// Which one.
    pub cause: Cause,
    /// The part of the variance between hosts that goes with it, 0 to 1.
    pub share: f64,
    /// p-value of "the groups have the same mean", corrected.
    pub p: f64,
    /// It explains what hosts differ by: shown, and at least half of it.
    pub explains: bool,
    /// The groups, in the order of their ratios.
    pub groups: Vec<Subgroup>,
}

/// What hosts may differ by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The processor's model.
    Processor,
    /// The kernel.
    Kernel,
    /// The version of the layer, or the way it works.
    Version,
}

/// The hosts that have a property's value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subgroup {
    /// The value.
    pub value: Untrusted,
    /// How many hosts.
    pub hosts: usize,
    /// Their mean ratio.
    pub ratio: f64,
    /// Lower end of its confidence interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}
