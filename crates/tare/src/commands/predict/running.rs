//! A process that runs already: the probe counts what it does, and lets it go on.

use crate::host;
use anyhow::{Context, Result, anyhow, bail};
use std::fs;
use std::process::Command;
use std::time::Duration;
use tare_board::Profile;
use tare_proto::Counter;
use tare_proto::counter::{RUN_SYSTEM, RUN_USER};

/// How long a process is watched, and then traced, unless it was said.
const TIME: Duration = Duration::from_secs(5);

/// What the probe may take beside that, to find and to leave the process and its children.
const MORE: Duration = Duration::from_secs(60);

/// What is not known of a process that was not run from start to end.
const LACKS: &str = "how long it would wait, so that ratios are of the CPU time that it uses";

pub fn profile(pid: u32, time: Option<Duration>) -> Result<Profile> {
    let name = fs::read_to_string(format!("/proc/{pid}/comm"));
    let name = name.with_context(|| format!("there is no process {pid}"))?;
    let name = format!("{} (process {pid})", name.trim());
    let host = host::host()?;
    let time = time.unwrap_or(TIME);
    let mut probe = Command::new(&host.probe);
    probe.arg("count").arg(pid.to_string()).arg(time.as_millis().to_string()).env_clear();
    let told = tare_layers::output(&mut probe, 2 * time + MORE);
    let told = told.map_err(|why| anyhow!("{name} cannot be counted: {why}"))?;
    let counters: Vec<Counter> = serde_json::from_str(&told).context("what the probe counted")?;
    let of = |name: &str| counters.iter().filter(|c| c.name == name).map(|c| c.value).sum::<f64>();
    let used_ns = 1e9 * (of(RUN_USER) + of(RUN_SYSTEM));
    match Profile::of(&name, used_ns, &counters) {
        Some(profile) => Ok(Profile { lacks: Some(LACKS), ..profile }),
        None => bail!("{name} has done nothing within {time:?}"),
    }
}
