//! What a sweep says, as values: effects, interactions, settings, curves.

use super::{Ratio, Verdict};
use serde::Serialize;
use tare_proto::{Better, Unit, Untrusted};
use tare_store::Design;

/// What the knobs of one layer do, or the loads and sizes on a layer without any.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// The layer whose settings were varied.
    pub layer: Untrusted,
    /// Which combinations were measured.
    pub design: Design,
    /// Each benchmark, with its loads and sizes among the knobs where these were varied.
    pub responses: Vec<Response>,
}

/// What the knobs do to one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Response {
    /// The benchmark, without what is a knob.
    pub benchmark: Untrusted,
    /// What its values mean.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// The knobs, each with the settings at which something was measured.
    pub knobs: Vec<Factor>,
    /// Blocks that have every setting.
    pub blocks: usize,
    /// Blocks that lack one and are left out.
    pub left_out: usize,
    /// Every setting that was measured; the first is what the others are divided by.
    pub settings: Vec<Setting>,
    /// The geometric mean of the first setting over the blocks, in the unit.
    pub first: Option<f64>,
    /// One for each setting of a knob but its first.
    pub effects: Vec<Effect>,
    /// Where settings follow each other, as versions do: each against the one before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Effect>,
    /// One for each pair of such settings; none when the design cannot tell them apart.
    pub interactions: Vec<Interaction>,
    /// How much of the differences between settings the model explains.
    pub explained: Option<Explained>,
    /// The best setting.
    pub best: Option<BestSetting>,
    /// What there is to plot: one curve or more for each knob with numbers.
    pub curves: Vec<Curve>,
    /// What the knobs change of what was counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<CountedEffect>,
    /// Why there are no effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Untrusted>,
}

/// A knob of a response.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factor {
    /// Its name.
    pub name: Untrusted,
    /// Its settings; the others are compared with the first.
    pub levels: Vec<Untrusted>,
    /// The settings as numbers (of `64k`: 65,536), when all of them are.
    pub numbers: Option<Vec<f64>>,
    /// Its settings follow each other, as versions do.
    pub ordered: bool,
}

/// One setting of all knobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// The level of each knob.
    pub levels: Vec<usize>,
    /// Its value / the first setting's.
    pub ratio: Ratio,
}

/// The setting with the best value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BestSetting {
    /// The level of each knob.
    pub levels: Vec<usize>,
    /// Its value / the first setting's. The interval is widened (Bonferroni) for having been chosen among all settings.
    pub ratio: Ratio,
    /// The other settings that are not shown to differ from it (Holm), all of them with a single block.
    pub alike: Vec<Vec<usize>>,
}

/// What one setting of a knob does, on average over the settings of all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// Which knob of the response.
    pub knob: usize,
    /// Which setting of it.
    pub level: usize,
    /// Value at this setting / value at the knob's first; of a step, / value at the setting before it.
    pub ratio: Ratio,
    /// What is said about it, corrected for all effects and interactions of the campaign.
    pub verdict: Verdict,
}

/// How the effect of one knob's setting depends on another's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interaction {
    /// The two knobs.
    pub knobs: [usize; 2],
    /// A setting of each; both are compared with setting 0.
    pub levels: [usize; 2],
    /// The first knob's effect at this setting of the second / its effect at the second's first setting.
    pub ratio: Ratio,
    /// What is said about it.
    pub verdict: Verdict,
}

/// How much of the variance between settings, averaged over the blocks, the model explains: parts of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Explained {
    /// Main effects alone.
    pub alone: f64,
    /// With all two-way interactions; none where the design cannot tell them apart.
    pub pairs: Option<f64>,
}

/// What one knob does at one setting of another, or on average when there is no other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The knob along which it runs.
    pub knob: usize,
    /// Another knob, and its setting here; on average over the remaining knobs.
    pub at: Option<(usize, usize)>,
    /// By number, upwards, or in the order of the settings.
    pub points: Vec<CurvePoint>,
}

/// One setting on a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The knob's setting as a number, or its place among the settings, from 1.
    pub x: f64,
    /// Value / value where both knobs have their first settings.
    pub ratio: Ratio,
}

/// What one setting of a knob changes of one counter, on average over the settings of the other knobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountedEffect {
    /// The counter, as the campaign has it.
    pub counter: Untrusted,
    /// Which knob of the response.
    pub knob: usize,
    /// Which setting of it; it is compared with setting 0.
    pub level: usize,
    /// How many there are of an operation at the knob's first setting.
    pub first: f64,
    /// How many more at this setting.
    pub change: f64,
    /// Lower end of the interval of `change`.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Response {
    /// A setting's values, knob by knob: `memory=1G, load=4`.
    #[must_use]
    pub fn name(&self, levels: &[usize]) -> String {
        let one = |(knob, level): (&Factor, &usize)| {
            let value = knob.levels.get(*level).map_or("?", Untrusted::raw);
            format!("{}={value}", knob.name.raw())
        };
        self.knobs.iter().zip(levels).map(one).collect::<Vec<_>>().join(", ")
    }

    /// Whether there is a model of interactions.
    #[must_use]
    pub fn has_pairs(&self) -> bool {
        !self.interactions.is_empty()
    }
}
