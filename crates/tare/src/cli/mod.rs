//! The command line, and nothing else: what can be asked for and how it is explained.

mod bisect;
mod cache;
mod compare;
mod fleet;
mod gate;
mod generate;
mod help;
mod import;
mod lab;
mod look;
mod predict;
mod program;
mod report;
mod run;
mod show;
pub mod values;
mod verify;

pub use bisect::BisectArgs;
pub use cache::{CacheArgs, CacheVerb};
pub use compare::{CompareArgs, CompareBy, Correct};
pub use fleet::{FetchArgs, FleetArgs, FleetVerb, HostDir, MergeArgs, SubmitArgs};
pub use gate::GateArgs;
pub use generate::{GenerateArgs, Generated};
pub use help::command;
pub use import::{CountTable, ExplainArgs, ImportArgs, PapersArgs, PapersVerb};
pub use lab::{LabArgs, LabVerb};
pub use look::{DoctorArgs, InitArgs, ListArgs};
pub use predict::PredictArgs;
pub use program::{CostArg, ProgramArgs};
pub use report::{OpenArgs, ReportArgs, ReportFormat, ServeArgs};
pub use run::{ResumeArgs, RunArgs};
pub use show::{ExportArgs, ExportFormat, FormatArgs, ShowArgs};
pub use verify::VerifyArgs;

use clap::{Parser, Subcommand, ValueEnum};

/// Exit code: something failed; the message says what.
pub const FAILED: u8 = 1;
/// Exit code: wrong usage, as in clap's own errors; the message says what would be right.
pub const USAGE: u8 = 2;
/// Exit code: a `--fail-if` condition is met, or undecided with `--fail-undecided`.
pub const GATE: u8 = 3;
/// Exit code: a required layer cannot run here or gives no figure (`--require`), or cannot run (`tare doctor NAME`), or nothing could
/// be compared.
pub const LAYER_MISSING: u8 = 4;
/// Exit code: interrupted; what was measured is kept, and `tare resume` continues.
pub const INTERRUPTED: u8 = 130;

const AFTER: &str = "\
Exit codes: 0 done; 1 failed; 2 wrong usage; 3 a --fail-if condition is met;
4 a required layer is missing or failed, or none can be compared;
130 interrupted (what was measured is kept; 'tare resume' continues).

Start with:  tare doctor         what can be measured here
             tare run            the usual layers, in five minutes
             tare VERB -h        the usual flags of a verb, with examples
             tare help tutorial  ten minutes; pages like it: answers, faq,
                                 troubleshooting, glossary, tare.toml, programs,
                                 layers, ci, threats";

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

/// The verbs. What `tare --help` says of each is one line of 80 columns.
#[derive(Subcommand)]
pub enum Command {
    /// Measure layers, or your own command on them; print the scoreboard
    Run(Box<RunArgs>),
    /// Continue a campaign, or give it more blocks or time
    Resume(ResumeArgs),
    /// Print a campaign's scoreboard, finished or not
    Show(ShowArgs),
    /// Write a report: one HTML file, or text, Markdown, CSV, SVG, PNG
    Report(ReportArgs),
    /// Show a campaign's page in a browser, and print its path
    Open(OpenArgs),
    /// Write every sample as a table: CSV, JSON lines or Parquet
    Export(ExportArgs),
    /// Serve folders of campaigns as web pages on this machine
    Serve(ServeArgs),
    /// Compare two campaigns, before and after; a gate for CI
    Compare(Box<CompareArgs>),
    /// Repeat a simulated campaign from its record; compare every byte
    Verify(VerifyArgs),
    /// Merge many hosts' campaigns of one plan
    Merge(MergeArgs),
    /// Measure a plan on many hosts with Slurm
    Fleet(FleetArgs),
    /// Make a campaign from other tools' output: lmbench, fio, ...
    Import(ImportArgs),
    /// Published results: list, show, compare with a campaign ('tare lab papers')
    #[command(hide = true)]
    Papers(PapersArgs),
    /// Say why: what an operation is made of on each layer
    Explain(ExplainArgs),
    /// Find which version of a list made a row slower ('tare lab bisect')
    #[command(hide = true)]
    Bisect(BisectArgs),
    /// Predict a program's time on each layer, from one native run
    Predict(Box<PredictArgs>),
    /// Serve, drive and measure a paravirtual disk, without any guest ('tare lab disk')
    #[command(subcommand, hide = true)]
    Disk(Box<tare_blk::cli::Command>),
    /// Bisect versions, measure paravirtual disks, recompute published results
    Lab(LabArgs),
    /// Check which layers run here, and what the others lack
    Doctor(DoctorArgs),
    /// Write a commented tare.toml for this host
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
    /// (started by tare itself) Run a simulated machine, each row in a copy of it
    #[command(hide = true)]
    Machine {
        /// The file that describes it
        plan: std::path::PathBuf,
    },
}

#[cfg(test)]
mod tests;
