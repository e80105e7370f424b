//! `tare fleet`: a plan on many hosts, by Slurm. tare writes plain scripts for `sbatch` and submits them; it schedules nothing
//! itself. What all of it has in common is a folder a host, which `tare merge` reads (docs/fleet.md).

mod fetch;
mod folder;
mod jobs;
mod options;
mod slurm;
mod status;
mod submit;

use crate::cli::{FleetArgs, FleetVerb};
use anyhow::Result;
use std::process::ExitCode;

pub fn fleet(args: &FleetArgs) -> Result<ExitCode> {
    match &args.verb {
        FleetVerb::Submit(args) => submit::submit(args)?,
        FleetVerb::Again(args) => submit::again(&args.dir)?,
        FleetVerb::Status(args) => status::status(&args.dir)?,
        FleetVerb::Fetch(args) => fetch::fetch(args)?,
    }
    Ok(ExitCode::SUCCESS)
}
