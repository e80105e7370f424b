//! What others measured: imports, papers, explanations.

use super::FormatArgs;
use super::values::{campaign, percent};
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Subcommand};
use std::path::PathBuf;

/// What to import, and as what.
#[derive(Args)]
pub struct ImportArgs {
    /// The format (omit it with --auto), then the files if there is only one layer
    #[arg(value_name = "FORMAT FILE")]
    pub words: Vec<String>,
    /// A layer and its files; may be repeated, and the first is the baseline unless --baseline says otherwise
    #[command(flatten)]
    pub layers: LayerFiles,
    /// Detect the format of each file
    #[arg(long)]
    pub auto: bool,
    /// List the formats
    #[arg(long)]
    pub formats: bool,
    /// The layer that the others are compared with [default: the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Directory to write the campaign to [default: tare-import-DATE-TIME]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Equivalence margin in percent: smaller differences count as none
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
    /// Show a paper's figures, what follows from them, and where its arithmetic is inconsistent
    Show {
        /// The paper, for example 000
        id: String,
    },
    /// Compare a campaign's ratios with a paper's
    Compare {
        /// The paper, for example 000
        id: String,
        /// The campaign's directory
        #[arg(value_parser = campaign())]
        dir: PathBuf,
    },
}

/// What to explain.
#[derive(Args)]
pub struct ExplainArgs {
    /// A campaign's directory [default: the newest campaign of this folder]
    #[arg(value_name = "DIR", conflicts_with = "from", value_parser = campaign())]
    pub dir: Option<PathBuf>,
    /// The benchmark whose ratios are explained [default: all]
    #[arg(value_name = "BENCHMARK")]
    pub benchmark: Option<String>,
    /// Explain only this layer's ratio
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    pub layer: Option<String>,
    /// Compare runs of programs with what this campaign predicts of them: one with the costs of operations on the same layers, by
    /// 'tare run --suite operations' [default: DIR itself, where it has these rows]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["from", "try_change"], value_parser = campaign())]
    pub prices: Option<PathBuf>,
    /// Try the explanation of one row of one layer: set this anew, measure the baseline, the layer and the changed layer again, and say
    /// whether the row moved by what its causes moved. Kept in DIR/tried
    #[arg(long = "try", value_name = "KEY=VALUE", conflicts_with_all = ["from", "table"], requires = "benchmark")]
    pub try_change: Option<String>,
    /// With --try: blocks to measure [default: 5]
    #[arg(long, value_name = "N", requires = "try_change", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub blocks: Option<u32>,
    /// Print the counts as tables instead: 'metrics' is a table per benchmark with a column per layer (path length,
    /// hypercalls, CPI, misses per 1,000 instructions); 'tests' is a table per layer with a line per benchmark (ratios
    /// of instructions, cycles and misses); 'stacks' has a line per stack that the host saw or that a simulated machine counted,
    /// as tools that draw flame graphs read it, in hundredths of a percent of the time on CPUs or of the instructions
    #[arg(long, value_name = "TABLE", conflicts_with = "from")]
    pub table: Option<CountTable>,
    /// Print JSON
    #[arg(long, conflicts_with = "from")]
    pub json: bool,
    /// Attribute a difference in throughput to CPU use, path length and cycles per instruction instead: from a TOML
    /// file ('baseline = "a"', then [layer.a] and [layer.b] with throughput, cpu_percent, path_length, cpi and optionally
    /// [layer.a.mpki]), paper:001, or a campaign's directory with imports of 'perf stat'
    #[arg(long, value_name = "METRICS")]
    pub from: Option<String>,
    /// With --from and a campaign: the benchmark that gives the throughput [default: the only rate]
    #[arg(long, value_name = "BENCHMARK", requires = "from")]
    pub throughput: Option<String>,
}

/// Forms of the tables of counts.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum CountTable {
    /// One table per benchmark: a line per metric, a column per layer.
    Metrics,
    /// One table per layer: a line per benchmark, a column per metric.
    Tests,
    /// A line per stack.
    Stacks,
}
