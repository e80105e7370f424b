//! Predicting a program.

use super::ProgramArgs;
use super::values::{campaign, time};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Which program to predict, and from what.
#[derive(Args)]
pub struct PredictArgs {
    /// The campaign with the costs of operations, by 'tare run --suite operations'. Without a command, the campaign's own
    /// programs are predicted from each other, beside their measured times
    #[arg(long, value_name = "DIR", value_parser = campaign())]
    pub from: PathBuf,
    /// A program of the suite 'programs' instead of a command, such as xz
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub program: Option<String>,
    /// A trace instead of a run: what 'strace -f -y -o FILE' or 'perf trace -s -o FILE' wrote, here or elsewhere
    #[arg(long, value_name = "FILE", requires = "took", conflicts_with_all = ["command", "program"])]
    pub trace: Option<PathBuf>,
    /// How long the traced program takes when it is not traced
    #[arg(long, value_name = "TIME", requires = "trace", value_parser = time)]
    pub took: Option<Duration>,
    /// How much of --took is the program's own code [default: the time that its operations do not explain]
    #[arg(long, value_name = "TIME", requires = "trace", value_parser = time)]
    pub user: Option<Duration>,
    /// A running process, with its threads and its children, instead of a run: it is first watched, then traced
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "program", "trace"],
          value_parser = clap::value_parser!(u32).range(1..=0x7fff_ffff))]
    pub pid: Option<u32>,
    /// How long to watch the process, and then how long to trace it [default: 5s]
    #[arg(long = "for", value_name = "TIME", requires = "pid", value_parser = time)]
    pub time: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The command, as for 'tare run'
    #[command(flatten)]
    pub command: ProgramArgs,
}
