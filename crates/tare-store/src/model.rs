//! A campaign in memory: what was planned, what was booted, what was measured.

use crate::order::Order;
use crate::{PlannedProgram, Sweep};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Better, Counter, Hello, Machine, Program, Turn, Untrusted};

/// What was asked for. Everything needed to repeat or resume the campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Which machine the layers run on.
    #[serde(default)]
    pub machine: Machine,
    /// How the layers of a block take turns.
    #[serde(default)]
    pub order: Order,
    /// The seed from which the order within every block follows.
    pub seed: u64,
    /// The name of the layer that the others are divided by.
    pub baseline: Untrusted,
    /// Seconds that the campaign may take; `None` when blocks are counted instead.
    pub budget_s: Option<f64>,
    /// Blocks to run; `None` when the budget decides.
    pub blocks: Option<u32>,
    /// The half-width of an interval, as a fraction, at which a row needs no more time.
    pub width: f64,
    /// CPUs that every layer is pinned to; empty when not pinned.
    pub cpus: Vec<u32>,
    /// The same CPUs and then more, for layers that are made for several; empty where there is no such layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wide: Vec<u32>,
    /// Shortest batch to time, in nanoseconds.
    pub batch_ns: u64,
    /// Longest time for one series, in milliseconds.
    pub series_ms: u64,
    /// The longest time from starting a layer until its probe answers, in seconds.
    pub boot_s: f64,
    /// Equivalence margin δ, as a fraction (0.02 for 2%).
    pub margin: f64,
    /// The largest share of a series in which a layer may have waited for a CPU: what waited for longer is withheld. A
    /// tenth where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_waited: Option<f64>,
    /// Whether every layer that takes turns measures each row once more, all samples at once: what a ratio owes to turns.
    #[serde(default)]
    pub robust: bool,
    /// What is counted of a simulated machine's instructions.
    #[serde(default)]
    pub counting: Counting,
    /// Whether the probe counts perf events.
    #[serde(default)]
    pub events: bool,
    /// The last-level cache that benchmarks choose their sizes by on every layer, in bytes; 0 leaves it to each.
    #[serde(default)]
    pub cache_bytes: u64,
    /// When it was made: UTC, ISO 8601.
    pub created: Untrusted,
    /// The tare that made it.
    pub tare_version: Untrusted,
    /// SHA-256 of the probe.
    pub probe_sha256: Untrusted,
    /// The command line that made it.
    pub command: Untrusted,
    /// The programs that are weighed beside the probe's own benchmarks.
    #[serde(default)]
    pub programs: Vec<PlannedProgram>,
    /// The knobs that the campaign turns, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// Where what programs write lies. Campaigns of earlier versions of tare have none, and wrote to memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratch: Option<Scratch>,
    /// What is measured beside neighbours, where a row does that.
    pub neighbours: Option<Neighbours>,
    /// The program that layers hold when they are saved; without one they hold memory of the probe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_state: Option<Program>,
    /// The version of each benchmark's definition, without its load. Campaigns of earlier versions of tare have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, u32>,
    /// SHA-256 of the files that are written for a boot of each simulated layer, without what it is asked for: its initramfs with the probe,
    /// modules and the layer's own files. Campaigns of earlier versions of tare have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub initramfs: BTreeMap<String, String>,
    /// SHA-256 of QEMU's plugin, where it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin_sha256: Option<Untrusted>,
}

impl Plan {
    /// The largest share of a series in which a layer may have waited for a CPU: the one that is said, or a tenth.
    #[must_use]
    pub fn most_waited(&self) -> f64 {
        self.most_waited.unwrap_or(MOST_WAITED)
    }

    /// The shell command that layers hold when they are saved, where one was given.
    #[must_use]
    pub fn state_command(&self) -> Option<&str> {
        self.saved_state.as_ref()?.command.last().map(String::as_str)
    }

    /// All CPUs of the campaign, those that every layer has first; empty when layers are not pinned.
    #[must_use]
    pub fn all_cpus(&self) -> &[u32] {
        if self.wide.is_empty() { &self.cpus } else { &self.wide }
    }
}

/// The largest share of a series in which a layer may have waited for a CPU, where nothing else is said: a tenth, as much as other work
/// may take of a CPU before 'tare doctor' calls it busy.
const MOST_WAITED: f64 = 0.10;

/// What one layer does beside others of its kind, and what these do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbours {
    /// The benchmark that is measured beside them.
    pub measured: Untrusted,
    /// Which end of its values is good.
    pub better: Better,
    /// The benchmark that busy ones are busy with.
    pub busy: Untrusted,
}

/// Where what programs write over their root lies, until it vanishes with the boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scratch {
    /// In the host's memory, or a guest's own.
    Memory,
    /// On a disk of the host's: in a folder there, or a guest's in an image there.
    Disk {
        /// The folder.
        folder: Untrusted,
        /// The type of its file system, as `ext4`.
        file_system: Untrusted,
    },
}

impl Scratch {
    /// The folder on a disk, if it is one.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        match self {
            Scratch::Memory => None,
            Scratch::Disk { folder, .. } => Some(folder.raw()),
        }
    }
}

/// What is counted of a simulated machine's instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// Nothing.
    #[default]
    Off,
    /// Instructions by place, and crossings.
    Counts,
    /// The misses of modelled caches and TLBs too.
    Model,
}

/// A layer of the campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerRow {
    /// Its name in tables.
    pub name: Untrusted,
    /// Its kind.
    pub kind: Untrusted,
    /// Its settings as `--layer` takes them.
    pub settings: Untrusted,
    /// Why it cannot run here, and the remedy; `None` if it can.
    pub unavailable: Option<(Untrusted, Untrusted)>,
    /// The files that decide what it is.
    pub artifacts: Vec<StoredArtifact>,
}

/// A file that decides what a layer is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredArtifact {
    /// `kernel`, `runtime`, `emulator`.
    pub role: Untrusted,
    /// Where it was.
    pub path: Untrusted,
    /// Its hash.
    pub sha256: Untrusted,
    /// The version that it reports; may be empty.
    pub version: Untrusted,
}

/// Why a boot was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// To weigh the layer.
    Weigh,
    /// The baseline's second boot in a block, for the noise floor (A/A).
    Floor,
    /// Once more on one CPU, of a layer that runs on several: what its figures owe to their number.
    OneCpu,
}

/// The state of a boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BootState {
    /// It is running, or tare ended during it.
    Running,
    /// Every benchmark was asked for and the layer was removed.
    Done,
    /// It ended early; see `failure`.
    Failed,
}

/// One cold start of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boot {
    /// Its row.
    pub id: i64,
    /// Its block, from 0.
    pub block: u32,
    /// Its place in the block, from 0.
    pub slot: u32,
    /// Index into [`Campaign::layers`].
    pub layer: usize,
    /// Why it was made.
    pub role: Role,
    /// 1, or 2 after a failure.
    pub attempt: u32,
    /// How far it has come.
    pub state: BootState,
    /// When it started, UTC, ISO 8601.
    pub started: Untrusted,
    /// Seconds from start to complete removal, without the turns of other layers.
    pub seconds: Option<f64>,
    /// The probe's greeting.
    pub hello: Option<Hello>,
    /// What ended it early.
    pub failure: Option<Untrusted>,
    /// The last console lines of a failed boot.
    pub console: Option<Untrusted>,
}

/// The outcome of one benchmark in one boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There are samples.
    #[default]
    Measured,
    /// It cannot run on the layer.
    Unavailable,
    /// It should have run and failed.
    Failed,
}

/// A series to record: what the probe sent, or what the host measured itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// The benchmark's name.
    pub benchmark: String,
    /// What came of it.
    pub outcome: Outcome,
    /// The reason when it was not measured.
    pub why: Option<String>,
    /// The samples and how they were taken; default when there are none.
    pub series: tare_proto::Series,
    /// Length of the measurement by the host's clock, in nanoseconds.
    pub host_ns: u64,
    /// The part of it in which other layers took their turns.
    pub waited_ns: u64,
}

impl Recorded {
    /// What the measurement cost, in seconds.
    pub fn seconds(&self) -> f64 {
        self.host_ns.saturating_sub(self.waited_ns) as f64 / 1e9
    }
}

/// A recorded series.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesRow {
    /// Index into [`Campaign::boots`].
    pub boot: usize,
    /// Index into [`Campaign::benchmarks`].
    pub benchmark: usize,
    /// What came of it.
    pub outcome: Outcome,
    /// The reason when it was not measured.
    pub why: Option<Untrusted>,
    /// Operations a sample.
    pub ops: u64,
    /// Batches thrown away first.
    pub warmup: u32,
    /// The empty loop's cost per operation in nanoseconds.
    pub loop_ns: f64,
    /// Subtracted from every sample, in the unit.
    pub subtracted: f64,
    /// The batch was under a hundred times the clock's resolution.
    pub short_batch: bool,
    /// Length of the measurement by the probe's clock, in nanoseconds.
    pub probe_ns: u64,
    /// The same by the host's clock; 0 when the host measured it itself, or the machine is simulated.
    pub host_ns: u64,
    /// The part of it in which other layers took their turns.
    pub waited_ns: u64,
    /// The samples, in the benchmark's unit.
    pub samples: Vec<f64>,
    /// The turns that they were taken in, one a round; empty when they were taken at once.
    pub turns: Vec<Turn>,
    /// What was counted beside them.
    pub counters: Vec<Counter>,
}

impl SeriesRow {
    /// What the measurement cost, in seconds: without the turns of other layers.
    pub fn seconds(&self) -> f64 {
        self.host_ns.saturating_sub(self.waited_ns) as f64 / 1e9
    }
}

/// A warning for whoever reads the scoreboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The layer that it concerns, if one.
    pub layer: Option<Untrusted>,
    /// The benchmark that it concerns, if one.
    pub benchmark: Option<Untrusted>,
    /// The warning itself, a sentence.
    pub text: Untrusted,
}

/// A whole campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// What was asked for.
    pub plan: Plan,
    /// `finished`, `interrupted` (also by a kill), or `running` while a process runs it.
    pub state: String,
    /// Incomplete blocks, in the order of their beginning: the one that is being measured, and those that an interrupt or a
    /// kill cut off.
    pub open_blocks: Vec<u32>,
    /// The layers in the scoreboard's order, the baseline among them.
    pub layers: Vec<LayerRow>,
    /// The benchmarks in the scoreboard's order.
    pub benchmarks: Vec<BenchInfo>,
    /// Every boot in the order made.
    pub boots: Vec<Boot>,
    /// Every series in the order recorded.
    pub series: Vec<SeriesRow>,
    /// The baseline's series that were taken once more, all samples at once, for layers that take no turns.
    pub whole_series: Vec<SeriesRow>,
    /// Warnings for whoever reads the scoreboard.
    pub warnings: Vec<Warning>,
}

impl Boot {
    /// Whether tare itself ended, or was interrupted, during this boot.
    pub fn cut_off(&self) -> bool {
        self.failure.as_ref().is_some_and(|why| why == crate::CUT_OFF)
    }
}

impl Campaign {
    /// Index of the baseline in `layers`.
    pub fn baseline(&self) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline)
    }
}
