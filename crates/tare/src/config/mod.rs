//! `tare.toml` and the flags that say the same: which layers, with which settings.
//!
//! ```toml
//! suite = ["vmi"]
//! budget = "5m"
//! baseline = "native"
//!
//! [[layer]]
//! name = "small-vm"
//! kind = "qemu"
//! memory = "256M"
//! ```

mod again;
mod resolved;

pub use again::flags;
pub use resolved::Resolved;

use crate::cli::ProgramArgs;
use crate::cli::values::{self, USUAL};
use crate::pin::Pin;
use crate::policy::Policy;
use crate::scratch::ScratchArg;
use crate::sweep::{SweepArg, SweepTable};
use crate::usage::OrUsage;
use crate::{input, output, trust};
use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;
use tare_board::Condition;
use tare_layers::{
    Layer, LayerKind, SERVED, Settings, Unnamed, configure, kinds_of, usual, with_root,
};
use tare_proto::Machine;
use tare_run::Candidate;
use tare_store::{Design, Order};

/// The largest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// What names every layer that is not for tests only.
const ALL: &str = "all";

/// What a configuration file may say, each as the flag of that name; flags win over it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub suite: Vec<String>,
    pub bench: Vec<String>,
    pub load: Vec<String>,
    #[serde(deserialize_with = "duration")]
    pub series: Option<Duration>,
    pub baseline: Option<String>,
    #[serde(deserialize_with = "duration")]
    pub budget: Option<Duration>,
    pub blocks: Option<NonZeroU32>,
    pub seed: Option<u64>,
    #[serde(deserialize_with = "percent")]
    pub margin: Option<f64>,
    #[serde(deserialize_with = "percent", rename = "most-waited")]
    pub most_waited: Option<f64>,
    #[serde(deserialize_with = "percent")]
    pub width: Option<f64>,
    pub pin: Option<Pin>,
    pub order: Option<Order>,
    pub design: Option<Design>,
    pub machine: Option<Machine>,
    pub scratch: Option<ScratchArg>,
    pub count: bool,
    pub model: bool,
    pub explain: bool,
    pub robust: bool,
    #[serde(deserialize_with = "conditions", rename = "fail-if")]
    pub fail_if: Vec<Condition>,
    #[serde(rename = "fail-undecided")]
    pub fail_undecided: bool,
    /// As the flags of the reader's own command, one table each.
    pub program: Vec<ProgramArgs>,
    sweep: Vec<SweepTable>,
    layer: Vec<toml::Table>,
}

pub struct Asked {
    pub name: String,
    pub kind: &'static str,
    /// All its settings, defaults included.
    pub settings: Settings,
    pub layer: Box<dyn Layer>,
    /// Whether a person named it; otherwise it is there because every kind is tried.
    pub named: bool,
}

impl Asked {
    pub fn candidate(&self, machine: Machine) -> Candidate<'_> {
        let Asked { name, kind, settings, layer, .. } = self;
        Candidate { name, kind, machine, settings, layer: &**layer }
    }
}

impl Config {
    /// Reads `given`, or the `tare.toml` in this directory, if there is one, which must be this user's.
    pub fn read(given: Option<&Path>) -> Result<Config> {
        let path = given.unwrap_or(Path::new(USUAL));
        let named = |path| input::text(path, LONGEST).map(Some);
        let read = given.map_or_else(|| trust::own_text(USUAL, LONGEST), named);
        let Some(text) = read.map_err(input::not_text_is_usage)? else {
            return Ok(Config::default());
        };
        if given.is_none() {
            output::note(&format!("Settings from {USUAL}."));
        }
        toml::from_str(&text).with_context(|| format!("{} is invalid", path.display())).or_usage()
    }

    pub fn sweeps(&self) -> Result<Vec<SweepArg>> {
        let read = |table: &SweepTable| table.read().map_err(|why| anyhow!("[[sweep]] {why}"));
        self.sweep.iter().map(read).collect()
    }

    /// The layer that is written `text`: of a `[[layer]]` table with that name, or else as `--layer` takes it.
    pub fn named(&self, text: &str) -> Result<Settings> {
        let called =
            |table: &&toml::Table| table.get("name").and_then(|it| it.as_str()) == Some(text);
        match self.layer.iter().find(called) {
            Some(table) => of_table(table),
            None => Ok(Settings::parse(text)?),
        }
    }

    #[cfg(test)]
    pub fn layer_names(&self) -> Vec<&str> {
        self.layer.iter().filter_map(|layer| layer.get("name")?.as_str()).collect()
    }
}

/// Makes `asked` layers of `machine`; without any, one of every kind that is not for tests only.
pub fn layers(machine: Machine, asked: &[Settings]) -> Result<Vec<Asked>> {
    match asked.is_empty() {
        true => {
            let kinds = of_kinds(machine, |kind| kind.unnamed != Unnamed::Ignored)?;
            made(machine, &kinds, false, &BTreeSet::new())
        }
        false => made(machine, asked, true, &BTreeSet::new()),
    }
}

/// As many CPUs as the largest of the layers has.
pub fn most_vcpus(asked: &[Asked]) -> usize {
    let vcpus = |asked: &Asked| asked.settings.number("vcpus", 1, 1, 1024).unwrap_or(1) as usize;
    asked.iter().map(vcpus).max().unwrap_or(1)
}

/// The setting of layers that says what programs see.
pub const ROOT: &str = "root";

fn of_kinds(machine: Machine, wanted: impl Fn(&LayerKind) -> bool) -> Result<Vec<Settings>> {
    let kinds = kinds_of(machine).filter(|kind| wanted(kind));
    Ok(kinds.map(|kind| Settings::parse(kind.name)).collect::<Result<_, _>>()?)
}

/// Makes `asked` layers of `machine`. Each has the usual value of what it `needs`, where its kind has such a setting and it
/// is not set.
fn made(
    machine: Machine,
    asked: &[Settings],
    named: bool,
    needs: &BTreeSet<&str>,
) -> Result<Vec<Asked>> {
    let mut layers: Vec<Asked> = Vec::new();
    for settings in asked {
        let mut settings = settings.clone();
        if needs.contains(ROOT)
            && Policy::for_machine(machine).roots_need_disks
            && with_root(&mut settings)
        {
            output::note(
                "kvm runs programs under QEMU (vmm=qemu): tare's own monitor has no disk for their files.",
            );
        }
        let (kind, mut settings, mut layer) = configure(machine, &settings)?;
        // A network on which the host reaches the layer is good for everything that needs a network: it goes first.
        let served = needs.iter().filter(|needs| **needs == SERVED);
        for (key, value) in served.chain(needs).filter_map(|needs| usual(kind, needs)) {
            settings.default_to(key, value);
        }
        if !needs.is_empty() {
            (_, settings, layer) = configure(machine, &settings)?;
        }
        let name = settings.get("name").unwrap_or(kind.name).to_owned();
        if layers.iter().any(|other| other.name == name) {
            bail!("two layers are called '{name}'; give one of them another name=");
        }
        layers.push(Asked { name, kind: kind.name, settings, layer, named });
    }
    Ok(layers)
}

/// A `[[layer]]` table: texts, numbers and truth values are all settings.
fn of_table(table: &toml::Table) -> Result<Settings> {
    let mut settings = Settings::default();
    for (key, value) in table {
        let text = match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(truth) => truth.to_string(),
            other => bail!("[[layer]] {key} must be a text or a number, not {}", other.type_str()),
        };
        settings.set(key, &text)?;
    }
    Ok(settings)
}

fn duration<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    values::time(&text).map(Some).map_err(serde::de::Error::custom)
}

fn percent<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    values::percent_of(f64::deserialize(from)?).map(Some).map_err(serde::de::Error::custom)
}

fn conditions<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Condition>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let read = |text: String| text.parse().map_err(serde::de::Error::custom);
    texts.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests;
