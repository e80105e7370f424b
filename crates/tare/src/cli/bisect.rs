//! Looking for the version that made a row dearer.

use super::values::{percent, time};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use tare_proto::Machine;

/// What to look for, and among what.
#[derive(Args)]
pub struct BisectArgs {
    /// A version before the slowdown
    #[arg(long, value_name = "VERSION")]
    pub good: String,
    /// A later version, which is slower
    #[arg(long, value_name = "VERSION")]
    pub bad: String,
    /// The row that became slower, with its load if it has one: lmbench/fork_exit, disk/read_64k@4
    #[arg(long, value_name = "ROW")]
    pub bench: String,
    /// The versions in their order: names or files of kernels, or a pattern of packages (linux-image-6.*-amd64). Those from the
    /// good to the bad one are searched
    #[arg(long, value_delimiter = ',', required = true, value_name = "VERSION,...|PATTERN")]
    pub over: Vec<String>,
    /// The layer whose setting is the version, by name or with settings
    #[arg(long, default_value = "native", value_name = "LAYER")]
    pub layer: String,
    /// The layer setting whose values are searched
    #[arg(long, default_value = "kernel", value_name = "SETTING")]
    pub knob: String,
    /// The machine: sim, whose counts are exact, or real
    #[arg(long, default_value_t = Machine::Sim, value_name = "MACHINE")]
    pub machine: Machine,
    /// Blocks for each version, of two boots each
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: u32,
    /// Seed of every campaign, which decides the perturbations
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Smallest difference between good and bad to search for, in percent
    #[arg(long, default_value = "1", value_name = "PERCENT", value_parser = percent)]
    pub margin: f64,
    /// Time limit for booting a version, until its probe answers [default: 30s; simulated: 10m]
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub boot_limit: Option<Duration>,
    /// Folder with a campaign for each version that was measured; the same version, layer and row are not measured again
    #[arg(long, short, default_value = "tare-bisect", value_name = "DIR")]
    pub out: PathBuf,
}
