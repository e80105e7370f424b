//! "Cannot run here" as a value: most hosts lack most layers, and each has a reason and a remedy.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What somebody can do about a missing layer: a command or a sentence.
pub type Remedy = String;

/// Why a layer cannot run on this host, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// What is missing or refused, by name.
    pub why: String,
    /// What to do about it.
    pub remedy: Remedy,
}

impl Unavailable {
    /// A reason with its remedy.
    pub fn new(why: impl Into<String>, remedy: impl Into<String>) -> Unavailable {
        Unavailable { why: why.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.why, self.remedy)
    }
}
