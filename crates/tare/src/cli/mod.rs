//! The command line, and nothing else: what can be asked for and how it is explained.

mod bisect;
mod cache;
mod compare;
mod fleet;
mod gate;
mod generate;
mod import;
mod look;
mod predict;
mod program;
mod report;
mod run;
mod show;
pub mod values;

pub use bisect::BisectArgs;
pub use cache::{CacheArgs, CacheVerb};
pub use compare::{CompareArgs, CompareBy, Correct};
pub use fleet::{FetchArgs, FleetArgs, FleetVerb, HostDir, MergeArgs, SubmitArgs};
pub use gate::GateArgs;
pub use generate::{GenerateArgs, Generated};
pub use import::{CountTable, ExplainArgs, ImportArgs, PapersArgs, PapersVerb};
pub use look::{DoctorArgs, InitArgs, ListArgs};
pub use predict::PredictArgs;
pub use program::ProgramArgs;
pub use report::{OpenArgs, ReportArgs, ReportFormat, ServeArgs};
pub use run::{ResumeArgs, RunArgs};
pub use show::{ExportArgs, ExportFormat, FormatArgs, ShowArgs};

use clap::{Parser, Subcommand, ValueEnum};

/// Exit code: something failed; the message says what.
pub const FAILED: u8 = 1;
/// Exit code: wrong usage, as in clap's own errors; the message says what would be right.
pub const USAGE: u8 = 2;
/// Exit code: a `--fail-if` condition is met, or undecided with `--fail-undecided`.
pub const GATE: u8 = 3;
/// Exit code: a required layer cannot run here (`--require`, or `tare doctor NAME`).
pub const LAYER_MISSING: u8 = 4;
/// Exit code: interrupted; what was measured is kept, and `tare resume` continues.
pub const INTERRUPTED: u8 = 130;

const AFTER: &str = "\
Exit codes: 0 done; 1 failed; 2 wrong usage; 3 a --fail-if condition is met;
4 a required layer is missing; 130 interrupted (what was measured is kept; 'tare resume' continues).

Start with:   tare doctor        what can be weighed here
              tare run           weigh the usual layers, in five minutes";

/// Weighs the layer between a workload and the machine: what a container, a sandbox or a virtual
/// machine costs, how sure that is, and why.
#[derive(Parser)]
#[command(name = "tare", version, about, after_help = AFTER, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, hide_possible_values = true,
          help = "When to use colour: auto, always or never")]
    pub color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The verbs.
#[derive(Subcommand)]
pub enum Command {
    /// Boot every layer, measure in shuffled blocks, print the scoreboard
    Run(Box<RunArgs>),
    /// Continue an interrupted or killed campaign, or give a finished one more blocks or time
    Resume(ResumeArgs),
    /// Print the scoreboard of a campaign, finished or not
    Show(ShowArgs),
    /// Write a campaign's report: one HTML file, or text, Markdown, CSV, SVG, PNG
    Report(ReportArgs),
    /// Show a campaign's page in a browser, and print its path
    Open(OpenArgs),
    /// Write every sample of a campaign as one long table: CSV, JSON lines or Parquet
    Export(ExportArgs),
    /// Serve folders of campaigns as a web page on this machine: reports, comparisons, running campaigns
    Serve(ServeArgs),
    /// Compare two campaigns, before and after; with --fail-if, a gate for CI
    Compare(Box<CompareArgs>),
    /// Merge campaigns of one plan from many hosts: means over hosts, and how much hosts differ
    Merge(MergeArgs),
    /// Measure a plan on many hosts with Slurm
    Fleet(FleetArgs),
    /// Make a campaign from the output of other tools: UnixBench, lmbench, sysbench, fio and more
    Import(ImportArgs),
    /// Published results: list them, show one, compare a campaign with one
    Papers(PapersArgs),
    /// Break ratios down into instructions by place, crossings and misses; or attribute a difference in throughput
    Explain(ExplainArgs),
    /// Find which version of a list made a row dearer, by the simulated machine's counts
    Bisect(BisectArgs),
    /// Predict what a program would take on a campaign's layers, from one native run and what operations cost there
    Predict(Box<PredictArgs>),
    /// Serve, drive and measure a paravirtual disk in time, without any guest: request sizes, ring pages and queue depths
    #[command(subcommand)]
    Disk(Box<tare_blk::cli::Command>),
    /// Check which layers run here, and what to do about those that do not
    Doctor(DoctorArgs),
    /// Write a commented tare.toml for this host: the layers that run here, its CPUs, the suites
    Init(InitArgs),
    /// List suites, benchmarks and layers
    List(ListArgs),
    /// Write the shell's completions, or the manual's pages
    Generate(GenerateArgs),
    /// List or remove the roots of programs in tare's cache
    Cache(CacheArgs),
    /// (started by tare itself) Own one boot and remove it
    #[command(hide = true)]
    Keep,
}

#[cfg(test)]
mod tests;
