//! Campaigns of many hosts: merging them, and running them on Slurm.

use super::FormatArgs;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Which campaigns to merge.
#[derive(Args)]
pub struct MergeArgs {
    /// The campaign's directory of each host; the host has the directory's name unless NAME= gives another
    #[arg(required = true, value_name = "[NAME=]DIR")]
    pub hosts: Vec<HostDir>,
    /// Directory to write the merged result to; 'tare show', 'tare report' and 'tare open' read it
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// How the result is printed
    #[command(flatten)]
    pub format: FormatArgs,
}

/// A host and the directory of its campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostDir {
    /// What it is called.
    pub name: String,
    /// Where its campaign is.
    pub dir: PathBuf,
}

impl std::str::FromStr for HostDir {
    type Err = String;

    fn from_str(text: &str) -> Result<HostDir, String> {
        if let Some((name, dir)) = text.split_once('=').filter(|_| !Path::new(text).exists()) {
            if name.is_empty() || dir.is_empty() {
                return Err("write NAME=DIR".into());
            }
            return Ok(HostDir { name: name.into(), dir: dir.into() });
        }
        let whole = std::path::absolute(text).map_err(|e| e.to_string())?;
        let name = whole.file_name().ok_or("it has no name; write NAME=DIR")?;
        Ok(HostDir { name: name.to_string_lossy().into(), dir: text.into() })
    }
}

/// What to do with a fleet.
#[derive(Args)]
pub struct FleetArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: FleetVerb,
}

/// The verbs of a fleet.
#[derive(Subcommand)]
pub enum FleetVerb {
    /// Measure a plan on many nodes: a job array, one host a task, and a job that merges the results
    Submit(SubmitArgs),
    /// Show how far each host is
    Status(FleetDir),
    /// Copy what the hosts have measured to a directory here, and merge it
    Fetch(FetchArgs),
    /// (started by the fleet's own scripts) Submit hosts that have failed once more
    #[command(hide = true)]
    Again(FleetDir),
}

/// What to submit.
#[derive(Args)]
pub struct SubmitArgs {
    /// The plan: a file as 'tare init' writes it; or a fleet's directory that --dry-run has written, whose files may have been changed
    #[arg(value_name = "PLAN|DIR")]
    pub plan: PathBuf,
    /// The nodes to measure, as Slurm writes lists of them, for example 'n[1-3],m7'
    #[arg(long, value_name = "LIST")]
    pub nodes: Option<String>,
    /// New directory for the fleet, on a file system that all nodes share
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Number of blocks to run on each host, instead of what the plan says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub blocks: Option<u32>,
    /// Reboot the node before each block (Slurm's own node reboot), so that a boot of the host is a block; needs --blocks
    #[arg(long, requires = "blocks")]
    pub reboot: bool,
    /// Keep other jobs off a node while it measures
    #[arg(long)]
    pub exclusive: bool,
    /// How often a host that fails is submitted again [default: 1]
    #[arg(long, value_name = "N")]
    pub retries: Option<u32>,
    /// The account that Slurm charges, where a cluster wants one
    #[arg(long, value_name = "NAME")]
    pub account: Option<String>,
    /// Write the directory and its scripts, and submit nothing; 'tare fleet submit DIR' does that afterwards
    #[arg(long)]
    pub dry_run: bool,
    /// More options for sbatch, for example: -- --partition=metal --time=30
    #[arg(last = true, value_name = "SBATCH OPTION")]
    pub sbatch: Vec<String>,
}

/// Which fleet.
#[derive(Args)]
pub struct FleetDir {
    /// The fleet's directory
    pub dir: PathBuf,
}

/// What to fetch, and where to.
#[derive(Args)]
pub struct FetchArgs {
    /// The fleet's directory
    pub dir: PathBuf,
    /// New directory to copy to
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// How the result is printed
    #[command(flatten)]
    pub format: FormatArgs,
}
