//! Two campaigns side by side as a value: what every written form of a comparison reads.

use super::gate::Gate;
use crate::board::{Geomean, Mean, Method, Ratio, Verdict};
use crate::{Comment, Note};
use serde::Serialize;
use tare_proto::{Better, Unit, Untrusted};
use tare_stats::ShownInterval;

/// What two campaigns say about each other, the first being "before" and the second "after".
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The campaign that the other is divided by.
    pub before: Campaigned,
    /// The campaign that is judged.
    pub after: Campaigned,
    /// What is compared.
    pub by: By,
    /// Why that, in a sentence.
    pub why: Untrusted,
    /// How the numbers were made.
    pub method: Method,
    /// How the campaigns differ in what should be the same.
    pub differences: Vec<Difference>,
    /// Every layer that both campaigns have and that is compared.
    pub layers: Vec<ComparedLayer>,
    /// The baseline's own change, by suite, where it is divided out ([`By::Cost`]). Without a verdict.
    pub control: Vec<Geomean>,
    /// What `--fail-if` asked and what came of it.
    pub gate: Option<Gate>,
}

impl Comparison {
    /// The differences that make the figures incomparable.
    pub fn refusals(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.refuses)
    }

    /// Every row with its layer.
    pub fn rows(&self) -> impl Iterator<Item = (&ComparedLayer, &ComparedRow)> {
        self.layers.iter().flat_map(|layer| layer.rows.iter().map(move |row| (layer, row)))
    }
}

/// What is compared of each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Its values as measured, after / before: whatever changed between the campaigns counts, the host too.
    Value,
    /// Its cost against the baseline of its own campaign, after / before: what moves the baseline as well cancels.
    Cost,
}

/// Which campaign stands on a side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Campaigned {
    /// How the caller calls it: its directory.
    pub name: Untrusted,
    /// When it was made, UTC.
    pub created: Untrusted,
    /// Its baseline's name.
    pub baseline: Untrusted,
    /// Blocks with at least one boot.
    pub blocks: usize,
    /// Whether it ran to its end: `finished`, `interrupted`, `running`.
    pub state: String,
    /// The CPU's model as the baseline saw it.
    pub cpu_model: Untrusted,
    /// The kernel as the baseline saw it.
    pub kernel: Untrusted,
    /// SHA-256 of the probe.
    pub probe_sha256: Untrusted,
}

/// Something that is not the same in both campaigns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// A name for programs: `probe`, `kernel`, `settings`, ...
    pub kind: &'static str,
    /// The layer that it concerns, if one.
    pub layer: Option<Untrusted>,
    /// A sentence, "before" and "after" in it.
    pub text: Untrusted,
    /// Figures are not comparable across it.
    pub refuses: bool,
}

/// A layer in both campaigns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedLayer {
    /// Its name.
    pub name: Untrusted,
    /// Its kind before.
    pub kind: Untrusted,
    /// Geometric means of its rows by suite and what is measured; verdicts corrected for their number.
    pub geomeans: Vec<Geomean>,
    /// One row per benchmark that both campaigns have, in the first one's order.
    pub rows: Vec<ComparedRow>,
    /// What should be known of either campaign when reading it.
    pub notes: Vec<Note>,
}

/// One benchmark on one layer, after / before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRow {
    /// `family/name`.
    pub benchmark: Untrusted,
    /// Its suite.
    pub suite: Untrusted,
    /// What a value means.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// How each series was reduced to one value.
    pub estimator: Untrusted,
    /// After / before, unpaired; none when a campaign has no value.
    pub ratio: Option<Ratio>,
    /// Before: the mean over blocks, in the unit, or of the ratios to the baseline ([`By::Cost`]).
    pub before: Option<Mean>,
    /// After: the same.
    pub after: Option<Mean>,
    /// The larger of both campaigns' noise floors, as a ratio; none when neither measured one.
    pub floor: Option<f64>,
    /// What is said about the ratio, about cost. Identical when every value is the same and that is no chance: on a simulated
    /// machine, or of one and the same campaign.
    pub verdict: Verdict,
    /// When undecided: how many more blocks in each campaign would likely decide.
    pub more_blocks: Option<usize>,
    /// p-value of "the ratio is 1", corrected.
    pub p_difference: Option<f64>,
    /// p-value of "the ratio lies outside the margin", corrected.
    pub p_equivalence: Option<f64>,
    /// The interval that shows an equivalence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownInterval>,
    /// Standard error of the log ratio that the verdict was tested with.
    pub std_error: Option<f64>,
    /// Its degrees of freedom; none when infinite, or without a test.
    pub df: Option<f64>,
    /// What should be known when reading this row.
    pub comments: Vec<Comment>,
}
