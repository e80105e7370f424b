//! `tare keep`: the keeper of one boot; tare starts it, people do not.

use anyhow::Result;
use std::process::ExitCode;

/// Whether that is the whole command line.
pub fn is_asked() -> bool {
    let words: Vec<_> = std::env::args_os().skip(1).take(2).collect();
    words == ["keep"]
}

/// Owns one boot until it has ended and is removed.
pub fn keep() -> Result<ExitCode> {
    tare_layers::keep(&std::env::temp_dir())?;
    Ok(ExitCode::SUCCESS)
}
