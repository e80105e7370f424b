//! Running a campaign, and continuing one.

use super::values::{campaign, percent, time};
use super::{FormatArgs, GateArgs, ProgramArgs};
use crate::loads::LoadArg;
use crate::pin::Pin;
use crate::scratch::ScratchArg;
use crate::sweep::SweepArg;
use clap::{Args, Parser};
use std::path::PathBuf;
use std::time::Duration;
use tare_proto::Machine;
use tare_store::{Design, Order};

/// What to run.
#[derive(Args, Clone)]
pub struct RunArgs {
    /// real (this host), or sim: a simulated machine whose clock counts instructions, so that results are repeatable
    /// [default: real]
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<Machine>,
    /// Layers by name, for example native,runc,uml, or all
    ///
    /// Without it, those of native, runc, runsc and kvm that run here; with --machine sim, all of its layers that run here.
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
    /// Loads (copies, users or threads) to measure at, where benchmarks have them
    ///
    /// N,... for all, GLOB=N,... for some; may be repeated. For example --copies 1,2,4. 'tare list' says which benchmarks have
    /// loads. 'auto' first searches the baseline for the loads up to which throughput rises (docs/suites.md), for example
    /// --users 'aim7/mix=auto'.
    #[arg(long, visible_aliases = ["copies", "users", "threads"], value_name = "[GLOB=]N,...|auto")]
    pub load: Vec<LoadArg>,
    /// A knob and its values, of which the first is the reference: LAYER.SETTING=V1,V2, LAYER.append.PARAM=V1,V2 ('-' omits
    /// the parameter), host.NAME=V1,V2 (a knob of this host, as root), load=N,... or FAMILY.size=4k,64k; may be repeated. Every
    /// combination becomes a layer or a load, and the scoreboard has main effects, interactions and the best setting (docs/laboratory.md)
    #[arg(long, value_name = "KNOB=V,...")]
    pub sweep: Vec<SweepArg>,
    /// Which combinations of a layer's knobs are measured: full, fractional or one-at-a-time [default: full]
    #[arg(long, value_name = "DESIGN")]
    pub design: Option<Design>,
    /// Run a sweep of many layers without asking
    #[arg(long)]
    pub yes: bool,
    /// The benchmark that one instance runs while others share the host, in rows beside/* of the suite sandbox (docs/sandbox.md) [default: sysbench/cpu]
    #[arg(long, value_name = "BENCH")]
    pub beside: Option<String>,
    /// The benchmark that busy neighbours run in those rows [default: lmbench/null_call]
    #[arg(long, value_name = "BENCH")]
    pub neighbour: Option<String>,
    /// Shell command that a layer holds when it is saved, in rows restore/*, snapshot/* and clone/* of the suite sandbox [default: 64 MiB
    /// of the probe's memory]
    ///
    /// It is given lines on its standard input and answers each with one line, as 'cat' does. It is ready when it has answered the
    /// first. It sees this host's files or those of --root (docs/sandbox.md).
    #[arg(long, group = "sees_root", value_name = "SHELL")]
    pub state: Option<String>,
    /// Where what commands write lies: memory, disk (this host's, in the folder for temporary files) or disk=DIR [default: memory]
    ///
    /// On a disk, processes and containers write to DIR, and each guest to an image there, through this host's page cache. All of it is
    /// removed with the boot. Rows of commands that write and sync differ between the two (docs/programs.md).
    #[arg(long, value_name = "WHERE")]
    pub scratch: Option<ScratchArg>,
    /// Duration of each series of samples, instead of the benchmark's own, for example 2s (docs/suites.md lists the
    /// original durations)
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub series: Option<Duration>,
    /// The layer that the others are compared with [default: native, or else the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Time for measuring; trying the layers first is not part of it [default: 5m]
    #[arg(long, value_parser = time, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<Duration>,
    /// Number of blocks to run, instead of a time budget; useful intervals need at least 3
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// How the layers of a block take turns: rounds (all run at once and take turns of a few samples, so that the machine's
    /// drift cancels out), series (all run at once; each takes all samples of a benchmark in turn) or boots (each is booted,
    /// measured and ended before the next) [default: rounds]
    #[arg(long, value_name = "ORDER")]
    pub order: Option<Order>,
    /// Seed for the order of layers and benchmarks [default: from the clock; simulated: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Directory to write the campaign to [default: tare-DATE-TIME]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// CPUs for the layers: auto (as many as the largest layer has; 'tare doctor' says which), none, or 2,3
    /// [default: auto]
    #[arg(long, value_name = "CPUS")]
    pub pin: Option<Pin>,
    /// Equivalence margin in percent: smaller differences count as none [default: 2]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub margin: Option<f64>,
    /// Withhold a series if its layer waited for a CPU, used by others on the machine, for more than this share of the time;
    /// 100 withholds none [default: 10, or the environment's TARE_MOST_WAITED]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub most_waited: Option<f64>,
    /// Stop measuring a row once its interval is this narrow, in percent; for large ratios, 2.5% of the ratio's logarithm is
    /// enough [default: a quarter of the margin]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub width: Option<f64>,
    /// Time limit for booting a layer, until its probe answers [default: 30s; simulated: 10m]
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub boot_limit: Option<Duration>,
    /// File with settings (suite, bench, load, series, baseline, budget, blocks, seed, machine, margin, width, most-waited, pin, order,
    /// design, scratch, count, model, explain, robust) and tables of layers, sweeps and programs, as 'tare init' writes one; flags take precedence
    /// [default: tare.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Count instructions by place (user, kernel, hypervisor) and crossings between them, on layers that QEMU emulates:
    /// those of --machine sim, and qemu
    #[arg(long)]
    pub count: bool,
    /// Count as with --count, and also model caches and TLBs
    #[arg(long)]
    pub model: bool,
    /// Break every ratio down as 'tare explain' does: on a real machine tare watches layers from the host (needs root), on a
    /// simulated one this implies --count and --model
    #[arg(long)]
    pub explain: bool,
    /// Measure layers that take turns once more, each row as one whole series, to show how much ratios depend on turns
    #[arg(long)]
    pub robust: bool,
    /// Exit with code 4 if a named layer cannot run here, before anything is measured, or if no row could be measured on it
    #[arg(long)]
    pub require: bool,
    /// Allow tare to overwrite the devices and files that layers are given as disks (disk=/dev/sdx)
    #[arg(long)]
    pub destroy_disk_contents: bool,
    /// A gate for CI
    #[command(flatten)]
    pub gate: GateArgs,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
    /// The reader's own command
    #[command(flatten)]
    pub program: ProgramArgs,
}

impl RunArgs {
    /// As without any flag.
    pub fn plain() -> RunArgs {
        #[derive(Parser)]
        struct Plain {
            #[command(flatten)]
            args: RunArgs,
        }
        Plain::parse_from(["run"]).args
    }
}

/// Which campaign to continue.
#[derive(Args)]
pub struct ResumeArgs {
    /// The campaign's directory [default: the newest campaign of this folder]
    #[arg(value_parser = campaign())]
    pub dir: Option<PathBuf>,
    /// Total time, earlier runs included; a finished campaign continues if this is more [default: unchanged]
    #[arg(long, value_parser = time, value_name = "TIME", conflicts_with = "blocks")]
    pub budget: Option<Duration>,
    /// Total number of whole blocks; a finished campaign continues if this is more [default: unchanged]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// As for 'tare run'
    #[arg(long)]
    pub destroy_disk_contents: bool,
    /// How the scoreboard is printed
    #[command(flatten)]
    pub format: FormatArgs,
}
