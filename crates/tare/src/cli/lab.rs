//! The laboratory: what few need, and not every day.

use super::{BisectArgs, PapersArgs};
use clap::{Args, Subcommand};

/// What to do in the laboratory.
#[derive(Args)]
pub struct LabArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: LabVerb,
}

/// The laboratory's verbs. Each is also a verb of `tare` itself, as it was before there was a laboratory.
#[derive(Subcommand)]
pub enum LabVerb {
    /// Find which version of a list made a row slower
    Bisect(BisectArgs),
    /// Serve, drive and measure a paravirtual disk, without any guest
    #[command(subcommand)]
    Disk(Box<tare_blk::cli::Command>),
    /// Published results: list, show, compare with a campaign
    Papers(PapersArgs),
}
