//! What is kept of the campaigns of many hosts: for every row and layer one log ratio a host.

use crate::board::Measure;
use serde::{Deserialize, Serialize};
use std::fmt;
use tare_proto::{BenchInfo, Untrusted};
use tare_store::{LayerRow, Plan};

/// The name of the form, and its version.
const FORMAT: (&str, u32) = ("tare-merged", 1);

/// The largest natural logarithm of a ratio of two numbers: those of doubles are below 1,455.
const LOGS: f64 = 1500.0;

/// Degrees of freedom: the least that Satterthwaite's approximation leaves, and more than any campaign has.
const DF: (f64, f64) = (0.01, 1e12);

/// Blocks of a campaign: a year of the shortest.
const BLOCKS: usize = 1 << 32;

/// Campaigns of one plan from many hosts, each reduced to its log ratios.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged {
    /// `tare-merged`.
    pub format: String,
    /// The version of this form; it grows when a field changes its meaning or goes away.
    pub version: u32,
    /// The plan of the first host. The others' is the same but for seed, CPUs, times and how many blocks were measured.
    pub plan: Plan,
    /// The estimator that reduced every series instead of its benchmark's own.
    pub estimator: Option<String>,
    /// The hosts that have figures, in the order given.
    pub hosts: Vec<MergedHost>,
    /// Hosts that should have had some.
    pub missing: Vec<MissingHost>,
    /// Every layer, the baseline among them.
    pub layers: Vec<MergedLayer>,
    /// Every benchmark.
    pub benchmarks: Vec<BenchInfo>,
    /// What hosts say.
    pub cells: Vec<MergedCell>,
}

/// A host's campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedHost {
    /// What it is called.
    pub name: Untrusted,
    /// When its campaign was made, UTC.
    pub created: Untrusted,
    /// Whether the campaign ran to its end: `finished`, `interrupted`, `running`.
    pub state: String,
    /// Blocks with at least one boot.
    pub blocks: usize,
    /// Boots that ended early.
    pub failed_boots: usize,
    /// The processor's model as the baseline saw it.
    pub cpu_model: Untrusted,
    /// The kernel as the baseline saw it.
    pub kernel: Untrusted,
    /// The last-level cache by which benchmarks chose their sizes, in bytes.
    pub cache_bytes: u64,
    /// The tare that measured.
    pub tare_version: Untrusted,
    /// What each layer is there: program, version, way it works.
    pub versions: Vec<Untrusted>,
}

/// A host without figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingHost {
    /// What it is called.
    pub name: Untrusted,
    /// Why it has none.
    pub why: Untrusted,
}

/// A layer that all hosts have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedLayer {
    /// Its name.
    pub name: Untrusted,
    /// Its kind.
    pub kind: Untrusted,
    /// Its settings as `--layer` takes them.
    pub settings: Untrusted,
}

impl From<&LayerRow> for MergedLayer {
    fn from(row: &LayerRow) -> MergedLayer {
        let LayerRow { name, kind, settings, .. } = row.clone();
        MergedLayer { name, kind, settings }
    }
}

/// One ratio on all hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedCell {
    /// The ratio of what.
    pub subject: Subject,
    /// What each host that has it says, in the hosts' order.
    pub effects: Vec<HostEffect>,
}

/// What a ratio is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A benchmark on a layer, divided by the baseline.
    Row {
        /// Index into [`Merged::benchmarks`].
        benchmark: usize,
        /// Index into [`Merged::layers`].
        layer: usize,
    },
    /// The geometric mean of a suite's costs on a layer.
    Mean {
        /// The suite.
        suite: Untrusted,
        /// What its rows measure.
        measure: Measure,
        /// Index into [`Merged::layers`].
        layer: usize,
    },
    /// The baseline's second boot, divided by its first (A/A).
    Floor {
        /// Index into [`Merged::benchmarks`].
        benchmark: usize,
    },
}

/// What one host says of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HostEffect {
    /// Index into [`Merged::hosts`].
    pub host: usize,
    /// The natural logarithm of the ratio.
    pub log: f64,
    /// Its standard error, as the host's own verdicts are tested with; none with one block.
    pub error: Option<f64>,
    /// Degrees of freedom of that; none where they are infinite.
    pub df: Option<f64>,
    /// Blocks it rests on.
    pub blocks: usize,
    /// Most of what was measured was subtracted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subtracted: bool,
}

impl HostEffect {
    /// Whether its numbers are some that a campaign can have.
    fn check(&self) -> Result<(), NotMerged> {
        let within = |value: f64, ends: (f64, f64)| ends.0 <= value && value <= ends.1;
        for (value, ends, what) in [
            (Some(self.log), (-LOGS, LOGS), "a ratio is out of all bounds"),
            (self.error, (0.0, LOGS), "a standard error is out of all bounds"),
            (self.df, DF, "degrees of freedom are out of all bounds"),
        ] {
            if value.is_some_and(|value| !within(value, ends)) {
                return Err(NotMerged::Damaged(what));
            }
        }
        if self.blocks > BLOCKS {
            Err(NotMerged::Damaged("more blocks than there can be"))
        } else {
            Ok(())
        }
    }
}

/// Why a text is no merged result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotMerged {
    /// It is no JSON of that form.
    Foreign(String),
    /// A newer tare wrote it.
    Newer(u32),
    /// It refers to what it does not have, or holds numbers that are none.
    Damaged(&'static str),
}

impl fmt::Display for NotMerged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(why) => write!(f, "it is no merged result of tare's: {why}"),
            Self::Newer(version) => {
                write!(f, "a newer tare wrote it (form {version}, this one reads {})", FORMAT.1)
            }
            Self::Damaged(what) => write!(f, "it is damaged: {what}"),
        }
    }
}

impl std::error::Error for NotMerged {}

impl Merged {
    /// Nothing yet, for campaigns of `plan`.
    pub(super) fn of(plan: Plan, estimator: Option<String>) -> Merged {
        Merged {
            format: FORMAT.0.into(),
            version: FORMAT.1,
            plan,
            estimator,
            hosts: Vec::new(),
            missing: Vec::new(),
            layers: Vec::new(),
            benchmarks: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Reads what [`Merged::to_json`] wrote.
    ///
    /// # Errors
    /// A text that is none of this version's, or that does not hold together.
    pub fn from_json(text: &str) -> Result<Merged, NotMerged> {
        #[derive(Deserialize)]
        struct Kind {
            format: String,
            version: u32,
        }
        let foreign = |e: serde_json::Error| NotMerged::Foreign(e.to_string());
        let kind: Kind = serde_json::from_str(text).map_err(foreign)?;
        if kind.format != FORMAT.0 {
            return Err(NotMerged::Foreign("it has another name".into()));
        }
        if kind.version > FORMAT.1 {
            return Err(NotMerged::Newer(kind.version));
        }
        let merged: Merged = serde_json::from_str(text).map_err(foreign)?;
        merged.check()?;
        Ok(merged)
    }

    /// As JSON, a line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Index of the baseline in `layers`.
    pub(super) fn baseline(&self) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline)
    }

    /// Whether all indices lead somewhere and all numbers are some.
    fn check(&self) -> Result<(), NotMerged> {
        let ensure = |sound: bool, what| if sound { Ok(()) } else { Err(NotMerged::Damaged(what)) };
        for host in &self.hosts {
            ensure(host.versions.len() == self.layers.len(), "a host has other layers")?;
        }
        for cell in &self.cells {
            let (benchmark, layer) = match cell.subject {
                Subject::Row { benchmark, layer } => (Some(benchmark), Some(layer)),
                Subject::Mean { layer, .. } => (None, Some(layer)),
                Subject::Floor { benchmark } => (Some(benchmark), None),
            };
            ensure(benchmark.is_none_or(|b| b < self.benchmarks.len()), "no such benchmark")?;
            ensure(layer.is_none_or(|l| l < self.layers.len()), "no such layer")?;
            for effect in &cell.effects {
                ensure(effect.host < self.hosts.len(), "no such host")?;
                effect.check()?;
            }
            let order = cell.effects.windows(2).all(|pair| pair[0].host < pair[1].host);
            ensure(order, "a host stands twice in a row")?;
        }
        Ok(())
    }
}
