//! What a benchmark is called and how its values read; the probe's table is the only list.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What one value of a series means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds per operation.
    Nanoseconds,
    /// Bytes (of memory).
    Bytes,
    /// Operations per second.
    PerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// A plain number: an index, a count of events.
    Number,
}

impl Unit {
    /// The short form that tables print for raw values: `ns`, `B`, `1/s`, `B/s`, nothing for a
    /// plain number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Bytes => "B",
            Unit::PerSecond => "1/s",
            Unit::BytesPerSecond => "B/s",
            Unit::Number => "",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Which end of the scale is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Latencies, footprints.
    Lower,
    /// Throughputs.
    Higher,
}

/// One row of the probe's table, as `tare-probe list --json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchInfo {
    /// `family/name`, unique.
    pub name: String,
    /// One line: what is measured, and after what.
    pub about: String,
    /// What a value means.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// The suite that the benchmark belongs to.
    pub suite: String,
    /// How a series is reduced to one value, in `tare-stats`' notation (`best-18-of-30`).
    pub estimator: String,
    /// Samples that a series should hold.
    pub samples: u32,
}

/// A named list of benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteInfo {
    /// The name that `--suite` takes.
    pub name: String,
    /// One line: what it weighs and where it comes from.
    pub about: String,
}
