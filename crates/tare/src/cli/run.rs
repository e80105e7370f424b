//! Running a campaign, and going on with one.

use super::values::{percent, time};
use super::{FormatArgs, GateArgs};
use crate::loads::LoadArg;
use crate::pin::Pin;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use tare_proto::Machine;
use tare_store::Order;

/// What to run.
#[derive(Args, Clone)]
pub struct RunArgs {
    /// real (this host), or sim: a simulated machine whose clock counts instructions, so that figures repeat [default:
    /// real]
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<Machine>,
    /// Layers by name, for example native,runc,uml, or all [default: native, runc, runsc and kvm, or all of the simulated
    /// machine's, as far as they run here]
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
    /// Loads to measure at, where a benchmark has loads: copies, users, threads (see 'tare list');
    /// for all of them, or GLOB=N,... for some; may be repeated. For example --copies 1,2,4. 'auto' finds them on the
    /// baseline first: up to where more is of no use (docs/suites.md), for example --users 'aim7/mix=auto'
    #[arg(long, visible_aliases = ["copies", "users", "threads"], value_name = "[GLOB=]N,...|auto")]
    pub load: Vec<LoadArg>,
    /// Time for each series instead of the benchmarks' own, for example 2s (docs/suites.md: original durations)
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub series: Option<Duration>,
    /// The layer that the others are divided by [default: native, or else the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Time that the campaign may take once the layers have been tried [default: 5m]
    #[arg(long, value_parser = time, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<Duration>,
    /// Blocks to run, instead of a budget; 3 at least for intervals that say anything
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// How the layers of a block take turns: rounds (all are alive, and take a few samples each, again and again, so that
    /// what the machine does meanwhile cancels), series (all are alive, and take all samples of a benchmark one after the
    /// other) or boots (one is booted, measured and ended after the other) [default: rounds]
    #[arg(long, value_name = "ORDER")]
    pub order: Option<Order>,
    /// Decides the order of layers and benchmarks [default: from the clock]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where the campaign is kept [default: tare-DATE-TIME]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// CPUs for the layers: auto (as many as the largest layer has, the last ones), none, or 2,3
    #[arg(long, value_name = "CPUS", default_value = "auto")]
    pub pin: Pin,
    /// Differences up to this are equivalence, in percent [default: 2]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub margin: Option<f64>,
    /// Intervals as narrow as this, in percent, need no more of the budget [default: 1]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub width: Option<f64>,
    /// Time that a layer may take from its start to its greeting [default: 30s; simulated: 10m]
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub boot_limit: Option<Duration>,
    /// Settings and layers from a file: suite, bench, load, series, baseline, budget, blocks, seed, machine, margin, width, count,
    /// model, explain and tables of layers; flags win [default: tare.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Count instructions by place (user, kernel, hypervisor) and crossings between them, on layers that QEMU translates:
    /// those of --machine sim, and qemu
    #[arg(long)]
    pub count: bool,
    /// Count, and model caches and TLBs too
    #[arg(long)]
    pub model: bool,
    /// Say of every ratio what it is made of; on a simulated machine, count and model what that takes
    #[arg(long)]
    pub explain: bool,
    /// Measure nothing and exit with code 4 if a layer that was named cannot run here
    #[arg(long)]
    pub require: bool,
    /// Agree that what is on devices and files that a layer is given as its disk (disk=/dev/sdx) is lost
    #[arg(long)]
    pub destroy_disk_contents: bool,
    /// A gate for CI
    #[command(flatten)]
    pub gate: GateArgs,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Which campaign to go on with.
#[derive(Args)]
pub struct ResumeArgs {
    /// The campaign's directory
    pub dir: PathBuf,
    /// Time for it in all, earlier runs included; a finished one goes on if this is more [default: as it was]
    #[arg(long, value_parser = time, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<Duration>,
    /// Whole blocks to have in all; a finished one goes on if these are more [default: as it was]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// As for 'tare run'
    #[arg(long)]
    pub destroy_disk_contents: bool,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}
