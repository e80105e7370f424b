//! What the host knows of a benchmark: its name, its unit and how its values are reduced. The probe's table is the only list.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What one value of a series means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds per operation.
    #[default]
    Nanoseconds,
    /// Instructions per operation (the simulated machine's clock).
    Instructions,
    /// Operations per 10⁹ instructions.
    PerGigaInstruction,
    /// Operations per 60·10⁹ instructions: what a minute is on a clock that counts them.
    #[serde(rename = "per_60_giga_instructions")]
    Per60GigaInstructions,
    /// Bytes per 10⁹ instructions.
    BytesPerGigaInstruction,
    /// Bytes (of memory).
    Bytes,
    /// Operations per second.
    PerSecond,
    /// Operations (jobs) per minute.
    PerMinute,
    /// Bytes per second.
    BytesPerSecond,
    /// A plain number: an index, a count of events.
    Number,
    /// Bytes that are read from disks or written to them.
    BytesMoved,
    /// Wake-ups of threads by the host's kernel.
    Wakeups,
}

impl Unit {
    /// The short form that tables print for raw values: `ns`, `instr`, `B`, `1/s`, `1/min`, `B/s`,
    /// nothing for a plain number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Instructions => "instr",
            Unit::PerGigaInstruction => "1/Ginstr",
            Unit::Per60GigaInstructions => "1/60Ginstr",
            Unit::BytesPerGigaInstruction => "B/Ginstr",
            Unit::Bytes | Unit::BytesMoved => "B",
            Unit::PerSecond => "1/s",
            Unit::PerMinute => "1/min",
            Unit::BytesPerSecond => "B/s",
            Unit::Number => "",
            Unit::Wakeups => "wakeups",
        }
    }

    /// The name that files have for it, as the wire and the store do: `nanoseconds`, `per_second`.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "nanoseconds",
            Unit::Bytes => "bytes",
            Unit::BytesMoved => "bytes_moved",
            Unit::PerSecond => "per_second",
            Unit::PerMinute => "per_minute",
            Unit::Instructions => "instructions",
            Unit::PerGigaInstruction => "per_giga_instruction",
            Unit::Per60GigaInstructions => "per_60_giga_instructions",
            Unit::BytesPerGigaInstruction => "bytes_per_giga_instruction",
            Unit::BytesPerSecond => "bytes_per_second",
            Unit::Number => "number",
            Unit::Wakeups => "wakeups",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Which end of the scale is good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Latencies, footprints.
    #[default]
    Lower,
    /// Throughputs.
    Higher,
}

/// One row of the probe's table, as `tare-probe list --json` prints it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchInfo {
    /// `family/name`, unique; `family/name@N` at a load of N (see [`crate::at_load`]).
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
    /// The setting that layers need for it and have not by themselves (`disk`, `files`, `net`); empty when it needs none.
    #[serde(default)]
    pub needs: String,
    /// What a load counts: `copies`, `users`, `threads`; empty when there is but one load.
    #[serde(default)]
    pub load: String,
    /// The loads that are measured unless others are asked for; 0 stands for the layer's CPUs.
    #[serde(default)]
    pub loads: Vec<u32>,
    /// Time that a series takes, in milliseconds; 0 leaves it to the campaign.
    #[serde(default)]
    pub series_ms: u64,
    /// The version of its definition: figures of two versions are nothing to compare. 0 where it is not known.
    #[serde(default)]
    pub definition: u32,
    /// Whether it takes all its samples at once, since it cannot wait between two of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
}

/// The version of a definition that has never changed.
pub const FIRST_DEFINITION: u32 = 1;

/// A named list of benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteInfo {
    /// The name that `--suite` takes.
    pub name: String,
    /// One line: what it weighs and where it comes from.
    pub about: String,
}
