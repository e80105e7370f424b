//! A program that a campaign weighs: what a probe is asked to run, and what becomes of what it prints.

use serde::{Deserialize, Serialize};
use tare_proto::{ITSELF, Program};

/// The variable that holds the load of a program.
pub const LOAD: &str = "LOAD";

/// A program of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedProgram {
    /// What runs.
    pub program: Program,
    /// A regular expression that the output of a right run matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<String>,
    /// The rows that one run fills; at least one.
    pub rows: Vec<ProgramRow>,
    /// The bound on a service's latency whose highest rate the run looks for, as it was given: `p99 < 5ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<String>,
    /// Whether the number of its runs in a boot is the reader's own; otherwise a time budget chooses it.
    #[serde(default)]
    pub runs_given: bool,
}

impl PlannedProgram {
    /// The row under which its runs are watched from outside: that of their time, or else the first figure that they print. `None` of a
    /// client of tare's own that looks for the highest rate.
    #[must_use]
    pub fn watched(&self) -> Option<&ProgramRow> {
        let is_client = self.is_client() && self.requests().is_none();
        let time = self.rows.iter().find(|row| row.value == ProgramValue::Time);
        time.or_else(|| self.rows.iter().find(|row| !row.value.is_cost())).filter(|_| !is_client)
    }

    /// Whether what runs is tare's own client, which asks a service.
    #[must_use]
    pub fn is_client(&self) -> bool {
        self.program.command.first().is_some_and(|word| word == ITSELF)
    }

    /// How many requests are due in a run of such a client, which asks at one rate.
    #[must_use]
    pub fn requests(&self) -> Option<f64> {
        let words = self.program.command.iter();
        let seconds = words.filter_map(|word| word.strip_prefix("seconds=")).next_back();
        let rate = self.program.env.iter().find(|(name, _)| name == LOAD).map(|(_, rate)| rate);
        let requests = rate?.parse::<f64>().ok()? * seconds?.parse::<f64>().ok()?;
        (self.is_client() && self.slo.is_none() && requests >= 1.0).then_some(requests)
    }
}

/// One row of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramRow {
    /// The benchmark's name.
    pub benchmark: String,
    /// Where its value comes from.
    pub value: ProgramValue,
}

/// Where the value of a row comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramValue {
    /// The time from start to end.
    Time,
    /// The number that a regular expression's group finds in the output.
    Found {
        /// The expression.
        regex: String,
        /// What makes the number one of the benchmark's unit.
        factor: f64,
    },
    /// The CPU time of the host that a run took: all of the layer's processes, in nanoseconds.
    Cpu {
        /// Parts that a run has, such as requests: the value is one part's.
        parts: f64,
    },
    /// A counter that the host keeps of a run ([`tare_proto::counter`]).
    Counter {
        /// Its name.
        name: String,
    },
    /// A count that the host keeps of what happens in a run.
    Counted {
        /// Its name.
        name: String,
        /// Parts that a run has, such as requests: the value is one part's.
        parts: f64,
    },
    /// A figure that an importer finds in the output.
    Figure {
        /// The importer's name.
        format: String,
        /// What it calls the figure.
        name: String,
    },
}

impl ProgramValue {
    /// Whether a run prints it.
    #[must_use]
    pub const fn is_printed(&self) -> bool {
        matches!(self, ProgramValue::Found { .. } | ProgramValue::Figure { .. })
    }

    /// Whether it is what a run costs the host beside its time, which only a campaign knows.
    #[must_use]
    pub const fn is_cost(&self) -> bool {
        matches!(
            self,
            ProgramValue::Cpu { .. } | ProgramValue::Counter { .. } | ProgramValue::Counted { .. }
        )
    }
}
