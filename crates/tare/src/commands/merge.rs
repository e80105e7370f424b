//! `tare merge`: campaigns of one plan from many hosts as one result.

use super::merged_result;
use crate::cli::{FormatArgs, HostDir, MergeArgs};
use crate::usage::OrUsage;
use crate::{input, output, parallel};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use tare_board::{MergeError, Merged, Merger, Reduced};
use tare_proto::harmless;
use tare_stats::Estimator;
use tare_store::load;

/// A text beside a host's campaign, or in place of it: why it failed there.
pub const FAILURE: &str = "failure";

/// Most characters that are kept of that.
const LONGEST: usize = 300;

/// Campaigns that a thread reduces before what they say is put together.
const AT_ONCE: usize = 16;

/// Merges the campaigns in `args.hosts`, prints the result and leaves it in `args.out`.
pub fn merge(args: &MergeArgs) -> Result<ExitCode> {
    merged_result::check_place(&args.out).or_usage()?;
    let names: Vec<&str> = args.hosts.iter().map(|host| host.name.as_str()).collect();
    if let Some(at) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
        return Err(MergeError::SameName(names[at].to_owned())).or_usage();
    }
    let result = merge_all(&args.hosts, args.format.estimator)?;
    keep(&args.out, &result, &args.format)?;
    Ok(ExitCode::SUCCESS)
}

/// Leaves `result` in `dir`, prints it and names its page.
pub fn keep(dir: &Path, result: &Merged, format: &FormatArgs) -> Result<()> {
    merged_result::keep(dir, result)?;
    merged_result::print(result, format)?;
    output::note(&format!("\nMerged into {0}; the page: tare open {0}", dir.display()));
    Ok(())
}

/// The campaigns of all hosts together. A folder that is there and has no campaign is a host that failed.
///
/// Campaigns are read and reduced on all CPUs, a few at a time, so that memory does not grow with the hosts' samples.
pub fn merge_all(hosts: &[HostDir], estimator: Option<Estimator>) -> Result<Merged> {
    if let Some(HostDir { dir, .. }) = hosts.iter().find(|host| !host.dir.is_dir()) {
        bail!("there is no directory {}", dir.display());
    }
    let mut merger = Merger::new(estimator);
    let reduced = |host: &HostDir| {
        let campaign = load(&host.dir).map_err(|error| error.to_string())?;
        Ok::<_, String>(Reduced::of(&campaign, estimator))
    };
    for some in hosts.chunks(AT_ONCE * parallel::threads()) {
        for (HostDir { name, dir }, read) in some.iter().zip(parallel::on_all_cpus(some, reduced)) {
            match read {
                Ok(campaign) => merger.add(name, campaign)?,
                Err(error) => {
                    let why = failure(dir).unwrap_or(error);
                    output::note(&format!("tare: {name} is missing: {why}"));
                    merger.miss(name, &why)?;
                }
            }
        }
    }
    Ok(merger.finish()?)
}

/// Why a host failed, as far as its folder says.
pub fn failure(dir: &Path) -> Option<String> {
    let said = input::text(&dir.join(FAILURE), 1 << 16).ok()?;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(harmless(&said, LONGEST)).filter(|said| !said.is_empty())
}
