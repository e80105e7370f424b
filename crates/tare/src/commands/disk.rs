//! `tare disk`: a paravirtual disk in time, without any guest.

use crate::output;
use crate::usage::OrUsage;
use anyhow::Result;
use std::process::ExitCode;
use tare_blk::{Error, cli};

pub fn disk(command: &cli::Command) -> Result<ExitCode> {
    let text = match cli::run(command, &["disk"], output::note) {
        wrong @ Err(Error::Setting(_)) => wrong.or_usage()?,
        done => done?,
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
