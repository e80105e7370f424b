//! The root of a campaign's programs: one for all of them, since a layer has one.

use super::WantedProgram;
use crate::config::{Asked, ROOT};
use anyhow::{Result, anyhow, bail};
use tare_layers::{ReadyRoot, RootRecipe, Settings, configure, takes_image};
use tare_proto::Machine;

/// The setting of guests that says how much memory they have.
const MEMORY: &str = "memory";

/// What the root is made of; `None` when programs see this host's files. Commands in it are those of all programs.
pub fn recipe(programs: &[WantedProgram]) -> Result<Option<RootRecipe>> {
    let mut roots = programs.iter().map(|program| program.root.as_deref());
    let first = roots.next().flatten();
    if let Some(other) = roots.find(|root| *root != first) {
        let said = |root: Option<&str>| root.unwrap_or("this host's files").to_owned();
        bail!(
            "the programs of one campaign share one root, and these have {} and {}",
            said(first),
            said(other)
        );
    }
    let Some(text) = first else { return Ok(None) };
    let mut commands: Vec<String> = Vec::new();
    for command in programs.iter().flat_map(|program| &program.root_run) {
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    let recipe = text.parse::<RootRecipe>().and_then(|recipe| recipe.then(commands));
    recipe.map(Some).map_err(|why| anyhow!("--root {text}: {why}"))
}

/// The layers with what `programs` need: `ready` as their root, each in the form that it takes, and memory. What a layer
/// sets itself stays as it is.
pub fn rooted(
    layers: Vec<Asked>,
    machine: Machine,
    programs: &[WantedProgram],
    ready: Option<&ReadyRoot>,
) -> Result<Vec<Asked>> {
    let memory = programs.iter().map(|wanted| wanted.planned.program.memory_mib).max();
    let memory = memory.filter(|mib| *mib > 0);
    layers.into_iter().map(|asked| one(asked, machine, ready, memory)).collect()
}

fn one(
    asked: Asked,
    machine: Machine,
    ready: Option<&ReadyRoot>,
    memory: Option<u64>,
) -> Result<Asked> {
    let mut settings = Settings::default();
    for (key, value) in asked.settings.iter() {
        if !(key == ROOT && value == "host" && ready.is_some()) {
            settings.default_to(key, value);
        }
    }
    let (kind, ..) = configure(machine, &settings)?;
    let has = |key: &str| kind.settings.iter().any(|setting| setting.key == key);
    if let Some(ready) = ready.filter(|_| has(ROOT)) {
        let image = ready.image.as_ref().filter(|_| takes_image(machine, asked.kind));
        settings.default_to(ROOT, &image.unwrap_or(&ready.tree).display().to_string());
    }
    if let Some(mib) = memory.filter(|_| has(MEMORY)) {
        settings.default_to(MEMORY, &format!("{mib}M"));
    }
    let (_, settings, layer) = configure(machine, &settings)?;
    Ok(Asked { settings, layer, ..asked })
}
