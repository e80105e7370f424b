//! Repeating a campaign of the simulated machine.

use super::values::campaign;
use clap::Args;
use std::path::PathBuf;

/// Which campaign to repeat.
#[derive(Args)]
pub struct VerifyArgs {
    /// Directory of a campaign that was measured with --machine sim
    #[arg(value_parser = campaign())]
    pub dir: PathBuf,
    /// A setting of a layer that is not the record's, for a file that is elsewhere on this host: KEY=VALUE for every layer that has it
    /// (kernel=linux-image-6.1.0-56-amd64, emulator=FILE), or LAYER.KEY=VALUE; may be repeated
    #[arg(long, value_name = "[LAYER.]KEY=VALUE")]
    pub set: Vec<String>,
    /// Repeat it although files differ from the record's
    #[arg(long)]
    pub anyway: bool,
    /// Directory to keep the repetition in, a campaign like any other [default: a temporary one]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
