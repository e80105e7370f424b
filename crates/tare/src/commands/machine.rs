//! `tare machine`: QEMU's place in a boot of a simulated machine; tare starts it, people do not.

use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use tare_layers::ForkError;

/// Boots the machine that the file `plan` describes, and measures each row in a copy.
pub fn machine(plan: &Path) -> Result<ExitCode> {
    match tare_layers::run_machine(plan) {
        // As if QEMU had been started in its place: it has said why itself.
        Err(ForkError::Ended(status)) => {
            Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into())
        }
        done => Ok(done.map(|()| ExitCode::SUCCESS)?),
    }
}
