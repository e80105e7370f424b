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
    /// List the roots of programs that are kept: size, last use, what they are made of
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Remove every root that no campaign is using; the next one that needs it makes it again
    Clear,
}
