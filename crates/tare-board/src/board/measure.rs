//! What a unit measures (speed, size, ...), and the only list of the words for more and less of it.

use serde::{Deserialize, Serialize};
use tare_proto::Unit;

/// What a benchmark's unit measures, which decides the words for better and worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Times and rates: slower, faster.
    Speed,
    /// Memory: heavier, lighter.
    Size,
    /// Instructions of the simulated machine: costlier, cheaper.
    Path,
    /// Bytes to and from disks: larger, smaller.
    Traffic,
    /// Wake-ups of a layer's threads on the host: busier, calmer.
    Wakeups,
}

/// How more and less of a measure are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// What costs more is this.
    pub worse: &'static str,
    /// What costs less is this.
    pub better: &'static str,
    /// What is measured.
    pub about: &'static str,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Measure; 5] =
        [Measure::Speed, Measure::Size, Measure::Path, Measure::Traffic, Measure::Wakeups];

    /// The words of verdicts and of conditions (`--fail-if`); the only list of them.
    #[must_use]
    pub const fn words(self) -> Words {
        match self {
            Measure::Speed => Words { worse: "slower", better: "faster", about: "times and rates" },
            Measure::Size => Words { worse: "heavier", better: "lighter", about: "memory" },
            Measure::Path => Words { worse: "costlier", better: "cheaper", about: "instructions" },
            Measure::Traffic => Words { worse: "larger", better: "smaller", about: "disk traffic" },
            Measure::Wakeups => Words { worse: "busier", better: "calmer", about: "wake-ups" },
        }
    }

    /// What values of `unit` measure.
    #[must_use]
    pub const fn of(unit: Unit) -> Measure {
        match unit {
            Unit::Nanoseconds
            | Unit::PerSecond
            | Unit::PerMinute
            | Unit::BytesPerSecond
            | Unit::Number => Measure::Speed,
            Unit::Bytes => Measure::Size,
            Unit::Instructions
            | Unit::PerGigaInstruction
            | Unit::Per60GigaInstructions
            | Unit::BytesPerGigaInstruction => Measure::Path,
            Unit::BytesMoved => Measure::Traffic,
            Unit::Wakeups => Measure::Wakeups,
        }
    }
}
