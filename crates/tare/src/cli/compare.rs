//! Comparing two campaigns.

use super::values::{campaign, percent};
use super::{FormatArgs, GateArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which campaigns to compare, and how.
#[derive(Args)]
pub struct CompareArgs {
    /// Directory of the campaign before the change, which the other is compared with
    #[arg(value_parser = campaign())]
    pub before: PathBuf,
    /// Directory of the campaign after the change, which is judged
    #[arg(value_parser = campaign())]
    pub after: PathBuf,
    /// What to compare: cost (each layer against its campaign's baseline) or value (as measured)
    /// [default: cost if the baseline is the same in both campaigns, otherwise value]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WHAT")]
    pub by: Option<CompareBy>,
    /// A gate for CI
    #[command(flatten)]
    pub gate: GateArgs,
    /// How verdicts are corrected for the number of rows: holm, bh or none
    #[arg(long, value_enum, default_value_t = Correct::Holm, hide_possible_values = true)]
    pub correction: Correct,
    /// Equivalence margin in percent: smaller differences count as none [default: the larger of the campaigns']
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub margin: Option<f64>,
    /// Compare even campaigns that are not comparable, for example those of different probes
    #[arg(long)]
    pub force: bool,
    /// How the comparison is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// What is compared of each layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareBy {
    /// Its cost against the baseline.
    Cost,
    /// Its values.
    Value,
}

/// Corrections for many verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Correct {
    /// Family-wise error rate.
    Holm,
    /// False discovery rate.
    Bh,
    /// Each row on its own.
    None,
}
