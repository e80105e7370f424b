//! Which CPUs layers are pinned to: `--pin`.

use crate::environment::View;
use crate::policy::Policy;
use anyhow::{Result, bail};
use serde::Deserialize;
use std::path::Path;
use std::str::FromStr;
use tare_layers::Cpus;

/// What `--pin` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Pin {
    /// As many as the largest layer has, idle ones if there are enough.
    #[default]
    Auto,
    /// Anywhere.
    None,
    /// To these, each named once.
    To(Vec<u32>),
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Pin, String> {
        let cpu = |word: &str| word.trim().parse().map_err(|_| format!("'{word}' is not a CPU"));
        match text {
            "auto" => return Ok(Pin::Auto),
            "none" => return Ok(Pin::None),
            _ => {}
        }
        let mut cpus = text
            .split(',')
            .map(cpu)
            .collect::<Result<Vec<u32>, _>>()
            .map_err(|why| format!("{why}; give auto, none, or CPUs such as 2,3"))?;
        cpus.sort_unstable();
        cpus.dedup();
        Ok(Pin::To(cpus))
    }
}

impl TryFrom<String> for Pin {
    type Error = String;

    fn try_from(text: String) -> Result<Pin, String> {
        text.parse()
    }
}

impl Pin {
    /// The CPUs for layers of up to `vcpus`; empty when they are not pinned.
    ///
    /// # Errors
    /// One that this process may not use.
    pub fn cpus(&self, policy: &Policy, vcpus: usize) -> Result<Vec<u32>> {
        let allowed = tare_run::allowed_cpus();
        match self {
            // Which CPU translates a simulated one is of no account.
            Pin::Auto if !policy.host_matters => Ok(Vec::new()),
            Pin::None => Ok(Vec::new()),
            Pin::Auto => {
                let idle = || View::of_this_host(&[]).idle();
                Ok(tare_run::pick_cpus(Path::new("/"), &allowed, idle, vcpus))
            }
            Pin::To(cpus) => match cpus.iter().find(|cpu| !allowed.contains(cpu)) {
                Some(cpu) => bail!("--pin: tare may not use CPU {cpu}, only {allowed:?}"),
                None => Ok(cpus.clone()),
            },
        }
    }

    /// `cpus`, and as many more as the largest of the layers, by `each` of them, runs on; empty where that is no more.
    pub fn wide(&self, cpus: &[u32], each: impl Iterator<Item = Cpus>) -> Vec<u32> {
        let number = |one| match one {
            Cpus::Usual => 0,
            Cpus::AtLeast(number) | Cpus::Only(number) => number,
        };
        let most = each.map(number).max().unwrap_or(0);
        if *self != Pin::Auto || cpus.is_empty() || most <= cpus.len() {
            return Vec::new();
        }
        let more = tare_run::more_cpus(Path::new("/"), &tare_run::allowed_cpus(), cpus, most);
        if more.len() > cpus.len() { more } else { Vec::new() }
    }
}
