//! What tare keeps between campaigns.

use clap::{Args, Subcommand};

/// What to do with the cache.
#[derive(Args)]
pub struct CacheArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: CacheVerb,
}

/// The verbs of the cache.
#[derive(Subcommand)]
pub enum CacheVerb {
    /// List the cached roots of programs: size, last use, what was asked for
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Remove every root that no campaign is using; a later campaign that needs one builds it again
    Clear,
}
