//! A sweep: the knobs of a campaign, and where each of its layers stands on them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tare_proto::Untrusted;

/// The knobs that a campaign turns, and the settings of them that are its layers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Which combinations of settings are layers.
    pub design: Design,
    /// The knobs in the order in which they were asked for.
    pub knobs: Vec<Knob>,
    /// The layers that are settings of knobs.
    pub layers: Vec<SweptLayer>,
}

/// Which combinations of the settings of a layer's knobs are measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// All of them.
    #[default]
    Full,
    /// Those whose levels' numbers (from 0) sum to a multiple of the smallest number of levels that a knob has.
    Fractional,
    /// The first setting of every knob, and from there each other setting of one knob alone.
    OneAtATime,
}

/// Something that is varied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knob {
    /// How it is called beside its values.
    pub name: Untrusted,
    /// What it is a property of.
    pub of: Turned,
    /// Its settings; the others are compared with the first.
    pub values: Vec<Untrusted>,
    /// The settings follow each other, as versions do: each is also compared with the one before it.
    #[serde(default)]
    pub ordered: bool,
}

/// What a knob is a property of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turned {
    /// The layer of this name: each combination of settings is a layer of the campaign.
    Layer(Untrusted),
    /// The load of every benchmark that has one.
    Load,
    /// The size in the names of this family's benchmarks (`read_64k`).
    Size(Untrusted),
}

/// A layer of the campaign that is a setting of knobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweptLayer {
    /// Its name in the campaign.
    pub name: Untrusted,
    /// The layer whose knobs are turned.
    pub of: Untrusted,
    /// For each knob of that layer, in the sweep's order, which of its values it has.
    pub levels: Vec<usize>,
}

impl Design {
    /// Every design.
    pub const ALL: [Design; 3] = [Design::Full, Design::Fractional, Design::OneAtATime];

    const fn name(self) -> &'static str {
        match self {
            Design::Full => "full",
            Design::Fractional => "fractional",
            Design::OneAtATime => "one-at-a-time",
        }
    }
}

impl FromStr for Design {
    type Err = String;

    fn from_str(text: &str) -> Result<Design, String> {
        let found = Design::ALL.into_iter().find(|design| design.name() == text);
        found.ok_or_else(|| Design::ALL.map(Design::name).join(", "))
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
