//! What must not be merged: figures that say nothing together.

use super::merged::{Merged, MergedLayer};
use super::reduce::Reduced;
use crate::format::count;
use serde_json::Value;
use std::fmt;
use tare_proto::{BenchInfo, Machine};
use tare_store::Plan;

/// What may be another on each host: when, where and by which tare it was measured, and how much. All else is the plan.
const OWN: &[&str] = &[
    "seed",
    "created",
    "command",
    "cpus",
    "wide",
    "tare_version",
    "cache_bytes",
    "boot_s",
    "blocks",
    "budget_s",
    "width",
    // These have a sentence of their own.
    "machine",
    "probe_sha256",
    // The probe says them.
    "definitions",
    // Files of a host, as kernels are.
    "initramfs",
    "plugin_sha256",
];

/// Why a campaign cannot be merged with the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeError {
    /// Two hosts have the same name.
    SameName(String),
    /// Two hosts have one and the same campaign.
    SameCampaign(String, String),
    /// One is real, the other simulated.
    Machine(String, Machine, Machine),
    /// It was measured by another probe.
    Probe(String),
    /// It was measured by another plan: what differs, there and on the first host.
    Plan(String, String),
    /// No host has figures.
    Nothing,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameName(name) => {
                write!(
                    f,
                    "two hosts are called '{name}'; give them names, as in {name}-a=DIR {name}-b=DIR"
                )
            }
            Self::SameCampaign(a, b) => {
                write!(f, "'{a}' and '{b}' are one and the same campaign, which would count twice")
            }
            Self::Machine(name, this, first) => write!(
                f,
                "'{name}' is of the {this} machine and the first host of the {first} one: a simulated machine counts \
                 instructions, a real one takes time"
            ),
            Self::Probe(name) => write!(
                f,
                "'{name}' was measured by another probe than the first host, so their figures must not be mixed; measure all \
                 hosts with the same tare"
            ),
            Self::Plan(name, what) => {
                write!(f, "'{name}' was measured by another plan than the first host: {what}")
            }
            Self::Nothing => write!(f, "no host has a figure"),
        }
    }
}

impl std::error::Error for MergeError {}

/// Fails unless the campaign is one of the plan that `merged` is of.
pub(super) fn same_plan(name: &str, campaign: &Reduced, merged: &Merged) -> Result<(), MergeError> {
    let (own, first) = (&campaign.plan, &merged.plan);
    if own.machine != first.machine {
        return Err(MergeError::Machine(name.into(), own.machine, first.machine));
    }
    if own.probe_sha256 != first.probe_sha256 {
        return Err(MergeError::Probe(name.into()));
    }
    let cpus = (own.wide.len() != first.wide.len()).then(|| {
        let cpus = |plan: &Plan| count(plan.all_cpus().len(), "CPU");
        format!(
            "layers that are made for several CPUs have {} there and {} here",
            cpus(own),
            cpus(first)
        )
    });
    let what = of_plan(own, first)
        .or(cpus)
        .or_else(|| of_layers(&campaign.layers, &merged.layers))
        .or_else(|| of_benchmarks(&campaign.benchmarks, &merged.benchmarks));
    what.map_or(Ok(()), |what| Err(MergeError::Plan(name.into(), what)))
}

/// The first field of the plan that differs. A field that a later tare adds to the plan is compared without a change here.
fn of_plan(own: &Plan, first: &Plan) -> Option<String> {
    let fields = |plan: &Plan| match serde_json::to_value(plan) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (own, first) = (fields(own), fields(first));
    let mut compared = first.iter().filter(|(key, _)| !OWN.contains(&key.as_str()));
    let (key, value) = compared.find(|(key, value)| own.get(*key) != Some(value))?;
    let own = own.get(key).unwrap_or(&Value::Null);
    Some(format!("{key} is {} there and {} here", shown(own), shown(value)))
}

/// A value of a plan, not too long for a sentence.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { "another".into() }
}

fn of_layers(own: &[MergedLayer], first: &[MergedLayer]) -> Option<String> {
    let names = |layers: &[MergedLayer]| {
        let names: Vec<&str> = layers.iter().map(|layer| layer.name.raw()).collect();
        names.join(", ")
    };
    if names(own) != names(first) {
        return Some(format!("its layers are {}, here they are {}", names(own), names(first)));
    }
    let (own, first) = own.iter().zip(first).find(|(own, first)| own != first)?;
    Some(format!(
        "layer {} is {} there and {} here",
        own.name.raw(),
        own.settings.raw(),
        first.settings.raw()
    ))
}

/// Loads that each host found for itself are rows of their own.
fn of_benchmarks(own: &[BenchInfo], first: &[BenchInfo]) -> Option<String> {
    let lacks = |a: &[BenchInfo], b: &[BenchInfo]| {
        let missing = a.iter().find(|row| b.iter().all(|other| other.name != row.name));
        missing.map(|row| row.name.clone())
    };
    if let Some(name) = lacks(own, first) {
        return Some(format!("it has the row {name}, which is not here (give loads as numbers)"));
    }
    if let Some(name) = lacks(first, own) {
        return Some(format!("it lacks the row {name}, which is here (give loads as numbers)"));
    }
    let (row, _) = own.iter().zip(first).find(|(own, first)| own != first)?;
    Some(format!("the row {} is another", row.name))
}
