//! Which machine layers run on: this host, or one that is simulated instruction by instruction.

use crate::Unit;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which machine the layers of a campaign run on.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Machine {
    /// This host: time is time.
    #[default]
    Real,
    /// A machine that QEMU translates with `-icount shift=0`: its clock counts instructions, one a nanosecond.
    Sim,
}

impl Machine {
    /// Every machine, the usual one first.
    pub const ALL: [Machine; 2] = [Machine::Real, Machine::Sim];

    /// The name that `--machine` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Machine::Real => "real",
            Machine::Sim => "sim",
        }
    }

    /// What a benchmark's value means there: what a clock measured is instructions in `sim`.
    pub const fn unit(self, unit: Unit) -> Unit {
        match (self, unit) {
            (Machine::Sim, Unit::Nanoseconds) => Unit::Instructions,
            (Machine::Sim, Unit::PerSecond) => Unit::PerGigaInstruction,
            (Machine::Sim, Unit::PerMinute) => Unit::Per60GigaInstructions,
            (Machine::Sim, Unit::BytesPerSecond) => Unit::BytesPerGigaInstruction,
            (_, unit) => unit,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Machine, String> {
        let found = Machine::ALL.into_iter().find(|machine| machine.name() == text);
        found.ok_or_else(|| format!("no machine '{text}': real or sim"))
    }
}
