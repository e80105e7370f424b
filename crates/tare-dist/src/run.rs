//! Runs the programs that a release is made with.

use anyhow::{Context, Result, bail};
use std::process::{Command, Output};

/// Runs `command`; an error with what it said unless it succeeds.
pub fn program(command: &mut Command) -> Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{name} failed ({}): {}", output.status, said.trim());
    }
    Ok(output)
}

/// What `command` prints, without the last line's end.
///
/// # Errors
/// As [`program`]; what is printed is not UTF-8.
pub fn said(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8(program(command)?.stdout)?.trim_end().to_owned())
}
