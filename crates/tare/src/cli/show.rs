//! Printing a campaign, and exporting it.

use super::GateArgs;
use super::values::{campaign, named, one_of};
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tare_report::{FORMS, Form};

/// Which campaign to show.
#[derive(Args)]
pub struct ShowArgs {
    /// The campaign's directory [default: the newest campaign of this folder]
    #[arg(value_parser = campaign())]
    pub dir: Option<PathBuf>,
    /// A gate for CI
    #[command(flatten)]
    pub gate: GateArgs,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// How a scoreboard is printed.
#[derive(Args, Clone)]
pub struct FormatArgs {
    #[arg(long, value_parser = form(), default_value = FORMS[0].name, hide_possible_values = true,
          help = one_of(FORMS.iter().map(|form| form.name)))]
    pub format: &'static Form,
    /// Estimator for every series, instead of its suite's: mean, median, p99, best-of-5, best-18-of-30
    #[arg(long, value_name = "ESTIMATOR")]
    pub estimator: Option<tare_stats::Estimator>,
    /// Print only the overview, without a table for each layer [default: on a terminal]
    #[arg(long, conflicts_with = "long")]
    pub short: bool,
    /// Print a table for each layer, too [default: in files and pipes]
    #[arg(long)]
    pub long: bool,
}

/// Reads the name of one of the scoreboard's forms.
fn form() -> impl TypedValueParser<Value = &'static Form> {
    named(FORMS.iter().map(|form| (form.name, form)))
}

/// What to export, and as what.
#[derive(Args)]
pub struct ExportArgs {
    /// The campaign's directory
    #[arg(value_parser = campaign())]
    pub dir: PathBuf,
    /// csv, json (one object a line) or parquet
    #[arg(long, value_enum, default_value_t = ExportFormat::Csv, hide_possible_values = true)]
    pub format: ExportFormat,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Forms of a campaign's samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A line a sample, with a header.
    Csv,
    /// An object a line.
    Json,
    /// Columns, for DuckDB, pandas and their like.
    Parquet,
}
