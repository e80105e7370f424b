//! What a probe has measured: samples, and the figures that stand beside them.

use crate::MAX_OUTPUTS;
use serde::{Deserialize, Serialize};

/// Most samples that one series may hold.
pub const MAX_SAMPLES: usize = 32_768;

/// Most counters beside one series.
pub const MAX_COUNTERS: usize = 1024;

/// Longest name of a counter, in bytes.
const MAX_NAME: usize = 64;

/// All samples of one benchmark in one boot, and how they were taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The request's id.
    pub id: u32,
    /// One value per timed batch, in the benchmark's unit per operation, in the order taken.
    pub samples: Vec<f64>,
    /// Operations in each batch.
    pub ops: u64,
    /// Batches thrown away first as warm-up, calibration included.
    pub warmup: u32,
    /// Cost of the empty loop around the operation, in nanoseconds per operation; reported, not
    /// subtracted.
    pub loop_ns: f64,
    /// The cost of what surrounds the operation (of the pipe in a context switch), which was measured separately and is already
    /// subtracted from every sample; in the unit, 0 when nothing was subtracted.
    pub subtracted: f64,
    /// The turns that the samples were taken in, in their order; empty when they were taken at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
    /// From the first `Begin` to this message by the probe's clock, in nanoseconds; waiting for turns is part of it.
    pub elapsed_ns: u64,
    /// The batch is shorter than a hundred times the clock's resolution (the limit came first).
    pub short_batch: bool,
    /// What was counted beside the samples.
    #[serde(default)]
    pub counters: Vec<Counter>,
    /// A remark, such as why something was not counted; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The last bytes of what a program printed, one text a sample, where they were wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
}

/// One turn of a series: the samples that follow those of the turn before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// How many samples it holds; at least one.
    pub samples: u32,
    /// The cost of what surrounds the operation as measured in this turn, as [`Series::subtracted`] is over all turns.
    pub subtracted: f64,
}

/// A figure that stands beside a series: CPU time, an event count, a percentile. docs/schema.md
/// lists the names and their units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// What it is, as lower-case words with `_` or `/` between them.
    pub name: String,
    /// Its value in the name's unit.
    pub value: f64,
}

impl Counter {
    /// A figure.
    pub fn new(name: &str, value: f64) -> Counter {
        Counter { name: name.into(), value }
    }

    fn fits(&self) -> bool {
        let fine = |c: char| c.is_ascii_alphanumeric() || "_/.-".contains(c);
        !self.name.is_empty() && self.name.len() <= MAX_NAME && self.name.chars().all(fine)
    }
}

impl Series {
    pub(crate) fn fits(&self) -> bool {
        let in_turns: u64 = self.turns.iter().map(|turn| u64::from(turn.samples)).sum();
        let whole = self.turns.is_empty() || in_turns == self.samples.len() as u64;
        let each = self.turns.iter().all(|turn| turn.samples > 0 && turn.subtracted.is_finite());
        let printed: usize = self.outputs.iter().map(String::len).sum();
        let told = self.outputs.is_empty() || self.outputs.len() == self.samples.len();
        let outputs = told && printed <= MAX_OUTPUTS;
        self.samples.len() <= MAX_SAMPLES && whole && each && outputs && fit(&self.counters)
    }
}

/// Whether counters are few enough, and well named.
pub(crate) fn fit(counters: &[Counter]) -> bool {
    counters.len() <= MAX_COUNTERS && counters.iter().all(Counter::fits)
}
