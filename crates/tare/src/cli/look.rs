//! What can be weighed here, and what there is to weigh.

use super::values::time;
use clap::Args;
use std::time::Duration;
use tare_proto::Machine;

/// Which layers to look at.
#[derive(Args)]
pub struct DoctorArgs {
    /// The machine whose layers are tried: real (this host) or sim
    #[arg(long, value_name = "MACHINE", default_value_t)]
    pub machine: Machine,
    /// Layers, by name or with settings [default: all]
    pub layers: Vec<String>,
    /// Time that a layer may take from its start to its greeting [default: 30s; simulated: 10m]
    #[arg(long, value_parser = time, value_name = "TIME")]
    pub boot_limit: Option<Duration>,
    /// Try again what did not boot before; otherwise that is remembered until the kernel, the layer's files or tare change
    #[arg(long)]
    pub again: bool,
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
