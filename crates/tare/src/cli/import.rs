//! What others measured: imports, papers, explanations.

use super::FormatArgs;
use super::values::percent;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Subcommand};
use std::path::PathBuf;

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
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value_t = 2.0)]
    pub margin: f64,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
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
    /// A campaign's directory
    #[arg(value_name = "DIR", required_unless_present = "from", conflicts_with = "from")]
    pub dir: Option<PathBuf>,
    /// The benchmark whose ratios are explained [default: every one]
    #[arg(value_name = "BENCHMARK")]
    pub benchmark: Option<String>,
    /// Only this layer's ratio
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    pub layer: Option<String>,
    /// What was counted as a table instead: 'metrics' is one a benchmark with a column a layer (path length, hypercalls,
    /// CPI, misses per 1,000 instructions); 'tests' is one a layer with a line a benchmark (how many times as many
    /// instructions, cycles, misses)
    #[arg(long, value_name = "TABLE", conflicts_with = "from")]
    pub table: Option<CountTable>,
    /// For machines
    #[arg(long, conflicts_with = "from")]
    pub json: bool,
    /// Attribute a difference in throughput to CPU use, path length and cycles per instruction instead: from a TOML
    /// file ('baseline = "a"', then [layer.a] and [layer.b] with throughput, cpu_percent, path_length, cpi and perhaps
    /// [layer.a.mpki]), paper:001, or a campaign's directory with imports of 'perf stat'
    #[arg(long, value_name = "METRICS")]
    pub from: Option<String>,
    /// In a campaign with --from, the benchmark that is the throughput [default: the only one that is a rate]
    #[arg(long, value_name = "BENCHMARK", requires = "from")]
    pub throughput: Option<String>,
}

/// How what was counted is tabled.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum CountTable {
    /// The metrics of a benchmark, a column a layer.
    Metrics,
    /// The benchmarks of a layer, a column a metric.
    Tests,
}
