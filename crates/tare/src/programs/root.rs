//! The root of a campaign's programs: one for all of them, since a layer has one.

use super::asked;
use crate::cli::RunArgs;
use crate::config::{Asked, Config};
use anyhow::{Result, anyhow, bail};
use tare_layers::{ReadyRoot, RootRecipe, Settings, configure, takes_image};
use tare_proto::Machine;

/// The setting of layers that says what programs see.
const ROOT: &str = "root";

/// What the root is made of; `None` when programs see this host's files.
pub fn recipe(args: &RunArgs, config: &Config) -> Result<Option<RootRecipe>> {
    let mut roots = asked(args, config).into_iter().map(|asked| asked.root.as_deref());
    let first = roots.next().flatten();
    if let Some(other) = roots.find(|root| *root != first) {
        let said = |root: Option<&str>| root.unwrap_or("this host's files").to_owned();
        bail!(
            "the programs of one campaign share one root, and these have {} and {}",
            said(first),
            said(other)
        );
    }
    first.map(|text| text.parse().map_err(|why| anyhow!("--root {text}: {why}"))).transpose()
}

/// The layers with `ready` as their root, each in the form that it takes; one that names a root of its own keeps it.
pub fn rooted(layers: Vec<Asked>, machine: Machine, ready: &ReadyRoot) -> Result<Vec<Asked>> {
    layers.into_iter().map(|asked| one(asked, machine, ready)).collect()
}

fn one(asked: Asked, machine: Machine, ready: &ReadyRoot) -> Result<Asked> {
    let image = ready.image.as_ref().filter(|_| takes_image(asked.kind));
    let path = image.unwrap_or(&ready.tree).display().to_string();
    let mut settings = Settings::default();
    for (key, value) in asked.settings.iter() {
        if !(key == ROOT && value == "host") {
            settings.default_to(key, value);
        }
    }
    let (kind, ..) = configure(machine, &settings)?;
    if kind.settings.iter().any(|setting| setting.key == ROOT) {
        settings.default_to(ROOT, &path);
    }
    let (_, settings, layer) = configure(machine, &settings)?;
    Ok(Asked { settings, layer, ..asked })
}
