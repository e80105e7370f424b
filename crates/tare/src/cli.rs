//! The command line, and nothing else: what can be asked for and how it is explained.

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Exit code: something failed; the message says what.
pub const FAILED: u8 = 1;
/// Exit code: a `--fail-if` condition is met.
pub const GATE: u8 = 3;
/// Exit code: a layer that had to be there was not (`--require`, or `tare doctor NAME`).
pub const LAYER_MISSING: u8 = 4;
/// Exit code: interrupted; what was measured is kept and `tare resume` goes on.
pub const INTERRUPTED: u8 = 130;

const AFTER: &str = "\
Exit codes: 0 done; 1 failed; 2 wrong usage; 3 a --fail-if condition is met;
4 a required layer is missing; 130 interrupted (what was measured is kept, 'tare resume' goes on).

Start with:   tare doctor        what can be weighed here
              tare run           weigh it all, in five minutes";

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
    /// Go on with a campaign that was interrupted or killed
    Resume(ResumeArgs),
    /// Print the scoreboard of a campaign, finished or not
    Show(ShowArgs),
    /// Write a campaign's report: one HTML file, or text, Markdown, CSV, SVG, PNG
    Report(ReportArgs),
    /// Serve folders of campaigns as a web page on this machine: reports, comparisons, running campaigns
    Serve(ServeArgs),
    /// Compare two campaigns, before and after; with --fail-if, a gate for CI
    Compare(Box<CompareArgs>),
    /// Make a campaign of what other tools printed: UnixBench, lmbench, sysbench, fio and more
    Import(ImportArgs),
    /// Published results: list them, show one, put a campaign beside one
    Papers(PapersArgs),
    /// Attribute a difference in throughput to CPU use, path length and cycles per instruction
    Explain(ExplainArgs),
    /// Say of every layer whether it runs here, and if not, what to do
    Doctor(DoctorArgs),
    /// List suites, benchmarks and layers
    List(ListArgs),
    /// (started by tare itself) Own one boot and remove it
    #[command(hide = true)]
    Keep,
}

/// What to run.
#[derive(Args)]
pub struct RunArgs {
    /// Layers by name, for example native,runc,uml [default: all that run here]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub layers: Vec<String>,
    /// A layer with settings, for example 'name=small,kind=qemu,memory=256M'; may be repeated
    #[arg(long = "layer", value_name = "KEY=VALUE,...")]
    pub layer: Vec<String>,
    /// Suites to run [default: vmi]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub suite: Vec<String>,
    /// Only benchmarks that match, for example 'lmbench/*'; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub bench: Vec<String>,
    /// The layer that the others are divided by [default: native, or else the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Time that the campaign may take [default: 5m]
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<Duration>,
    /// Blocks to run, instead of a budget; 3 at least for intervals that say anything
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// Decides the order of layers and benchmarks [default: from the clock]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where the campaign is kept [default: tare-DATE-TIME]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// CPUs for the layers: auto (as many as the largest layer has, the last ones), none, or 2,3
    #[arg(long, value_name = "CPUS", default_value = "auto")]
    pub pin: String,
    /// Differences up to this are equivalence, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    pub margin: f64,
    /// Intervals as narrow as this, in percent, need no more of the budget
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    pub width: f64,
    /// Time that a layer may take from its start to its greeting
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME", default_value = "30s")]
    pub boot_limit: Duration,
    /// Settings, layers and all of the above from a file [default: tare.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Exit with code 4 if a layer that was named is missing or fails
    #[arg(long)]
    pub require: bool,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Which campaign to go on with.
#[derive(Args)]
pub struct ResumeArgs {
    /// The campaign's directory
    pub dir: PathBuf,
    /// More time for it, in all, earlier runs included [default: as it was]
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<Duration>,
    /// Blocks to have in all [default: as it was]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Which campaign to show.
#[derive(Args)]
pub struct ShowArgs {
    /// The campaign's directory
    pub dir: PathBuf,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Which campaigns to compare, and how.
#[derive(Args)]
pub struct CompareArgs {
    /// The campaign's directory that the other is divided by
    pub before: PathBuf,
    /// The campaign's directory that is judged
    pub after: PathBuf,
    /// What to compare: cost (each layer against its campaign's baseline) or value (as measured)
    /// [default: cost if the baseline is the same in both, else value]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WHAT")]
    pub by: Option<CompareBy>,
    /// Fail with exit code 3 if this is shown, for example 'slower > 3%'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<tare_report::Condition>,
    /// How verdicts are corrected for the number of rows: holm, bh or none
    #[arg(long, value_enum, default_value_t = Correct::Holm, hide_possible_values = true)]
    pub correction: Correct,
    /// Differences up to this are equivalence, in percent [default: the larger of the campaigns']
    #[arg(long, value_name = "PERCENT")]
    pub margin: Option<f64>,
    /// Compare even what is not comparable, such as figures of different probes
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

/// What to report on, and in which form.
#[derive(Args)]
pub struct ReportArgs {
    /// The campaign's directory; several make the history of their benchmarks
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// html, text (report 000's tables), md, csv, svg or png
    #[arg(long, value_enum, default_value_t = ReportFormat::Html, hide_possible_values = true)]
    pub format: ReportFormat,
    /// Where to write it [default: DIR/report.html, tare-history.html for several, others to standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The benchmark that svg or png shows [default: an overview of all]
    #[arg(long, value_name = "NAME")]
    pub bench: Option<String>,
    /// Reduce every series by this instead of its suite's: mean, median, best-of-5, best-18-of-30
    #[arg(long, value_name = "ESTIMATOR")]
    pub estimator: Option<tare_stats::Estimator>,
}

/// What to serve, and where.
#[derive(Args)]
pub struct ServeArgs {
    /// Folders: campaigns, or folders that hold campaigns
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Address and port to listen on; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7878")]
    pub listen: std::net::SocketAddr,
}

/// A report's forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page with everything.
    Html,
    /// Ratios with raw pairs, and widths of intervals, for mail.
    Text,
    /// For a pull request.
    Md,
    /// One line a benchmark and layer.
    Csv,
    /// A figure.
    Svg,
    /// A figure as pixels.
    Png,
}

/// How a scoreboard is printed.
#[derive(Args, Clone)]
pub struct FormatArgs {
    /// text, json or md
    #[arg(long, value_enum, default_value_t = Format::Text, hide_possible_values = true)]
    pub format: Format,
    /// Reduce every series by this instead of its suite's: mean, median, best-of-5, best-18-of-30
    #[arg(long, value_name = "ESTIMATOR")]
    pub estimator: Option<tare_stats::Estimator>,
    /// Only the overview, without the table of each layer
    #[arg(long)]
    pub short: bool,
}

/// The scoreboard's forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people at a terminal.
    Text,
    /// For machines.
    Json,
    /// For a pull request or mail.
    Md,
}

/// What to import, and as what.
#[derive(Args)]
pub struct ImportArgs {
    /// The format (none with --auto), then files when there is one layer only
    #[arg(value_name = "FORMAT FILE")]
    pub words: Vec<String>,
    /// A layer and its files; may be repeated, and the first is the baseline unless --baseline says otherwise
    #[command(flatten)]
    pub layers: LayerFiles,
    /// Recognise the format of every file
    #[arg(long)]
    pub auto: bool,
    /// List the formats
    #[arg(long)]
    pub formats: bool,
    /// The layer that the others are divided by [default: the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Where the campaign is kept [default: tare-import-DATE-TIME]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Differences up to this are equivalence, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    pub margin: f64,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// What to do with the papers.
#[derive(Args)]
pub struct PapersArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: PapersVerb,
}

/// The verbs of `tare papers`.
#[derive(Subcommand)]
pub enum PapersVerb {
    /// List the papers
    List,
    /// Show a paper's figures, what follows from them, and where its arithmetic does not hold
    Show {
        /// The paper, for example 000
        id: String,
    },
    /// Put a campaign beside a paper's ratios
    Compare {
        /// The paper, for example 000
        id: String,
        /// The campaign's directory
        dir: PathBuf,
    },
}

/// What to explain.
#[derive(Args)]
pub struct ExplainArgs {
    /// A TOML file ('baseline = "a"', then [layer.a] and [layer.b] with throughput, cpu_percent, path_length,
    /// cpi and perhaps [layer.a.mpki]), or paper:001
    #[arg(long, value_name = "METRICS")]
    pub from: String,
}

/// Every `--layer NAME FILE...`, each with its own files, which clap's derive flattens.
pub struct LayerFiles(pub Vec<Vec<String>>);

impl FromArgMatches for LayerFiles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = matches.get_occurrences::<String>("layer_files").into_iter().flatten();
        Ok(LayerFiles(groups.map(|group| group.cloned().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = LayerFiles::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for LayerFiles {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.arg(
            Arg::new("layer_files")
                .long("layer")
                .value_name("NAME FILE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help("A layer and its files; may be repeated"),
        )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        LayerFiles::augment_args(command)
    }
}

/// Which layers to look at.
#[derive(Args)]
pub struct DoctorArgs {
    /// Layers, by name or with settings [default: all]
    pub layers: Vec<String>,
    /// Time that a layer may take from its start to its greeting
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME", default_value = "30s")]
    pub boot_limit: Duration,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

/// What to list.
#[derive(Args)]
pub struct ListArgs {
    /// For machines
    #[arg(long)]
    pub json: bool,
}
