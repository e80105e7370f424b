//! How the layers of a block take turns.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the layers of a block take turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// All layers are alive at once; within a benchmark they take turns of a few samples, in rounds.
    Rounds,
    /// All layers are alive at once; each takes all samples of a benchmark in its one turn.
    Series,
    /// One layer after the other is booted, measured and ended.
    #[default]
    Boots,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match text {
            "rounds" => Ok(Order::Rounds),
            "series" => Ok(Order::Series),
            "boots" => Ok(Order::Boots),
            _ => Err("rounds, series or boots".into()),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Rounds => "rounds",
            Order::Series => "series",
            Order::Boots => "boots",
        })
    }
}
