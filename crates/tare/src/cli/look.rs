//! What can be weighed here, and what there is to weigh.

use super::values::time;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use tare_proto::Machine;

/// Which layers to look at.
#[derive(Args)]
pub struct DoctorArgs {
    /// The machine whose layers are tried: real (this host) or sim
    #[arg(long, value_name = "MACHINE", default_value_t)]
    pub machine: Machine,
    /// Layers to try, by name or with settings [default: all]
    pub layers: Vec<String>,
    /// Time limit for booting a layer, until its probe answers [default: 30s; simulated: 10m]
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub boot_limit: Option<Duration>,
    /// Try layers again that failed to boot before; otherwise a failure is remembered until the kernel, the layer's files
    /// or tare change
    #[arg(long)]
    pub again: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What the settings file holds, and where it goes.
#[derive(Args)]
pub struct InitArgs {
    /// Layers to try, by name or with settings [default: all that may run on this host]
    pub layers: Vec<String>,
    /// File to write
    #[arg(long, short, value_name = "FILE", default_value = crate::cli::values::USUAL)]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Time limit for booting a layer, until its probe answers [default: 30s]
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub boot_limit: Option<Duration>,
}

/// What to list.
#[derive(Args)]
pub struct ListArgs {
    /// Only entries with all of these words in their name or description
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
