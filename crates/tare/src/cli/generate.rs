//! Files that follow from the command line's definitions.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What to write, and where.
#[derive(Args)]
pub struct GenerateArgs {
    /// man (a page for each command), or the completions of bash, zsh or fish
    #[arg(value_enum, hide_possible_values = true)]
    pub what: Generated,
    /// Folder to write the files into [default: standard output; of man, the page of tare itself]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// The manual's pages.
    Man,
    /// Completions of bash.
    Bash,
    /// Completions of zsh.
    Zsh,
    /// Completions of fish.
    Fish,
}
