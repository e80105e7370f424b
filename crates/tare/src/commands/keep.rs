//! `tare keep`: the keeper of one boot; tare starts it, people do not.

use anyhow::Result;
use std::process::ExitCode;

/// Owns one boot until it has ended and is removed.
pub fn keep() -> Result<ExitCode> {
    tare_layers::keep(&std::env::temp_dir())?;
    Ok(ExitCode::SUCCESS)
}
