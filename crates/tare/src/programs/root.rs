//! The root of a campaign's programs: one for all of them, since a layer has one.

use super::WantedProgram;
use crate::config::{Asked, ROOT};
use anyhow::{Result, anyhow, bail};
use tare_layers::{ReadyRoot, RootRecipe, Settings, configure, lacking};
use tare_proto::Machine;

/// The root that stands for this host's files.
const HOST: &str = "host";

/// The setting of guests that says how much memory they have.
const MEMORY: &str = "memory";

/// The setting of other layers that says how much may be written over their root.
const OVERLAY: &str = "overlay";

/// The setting of layers that says where what programs write lies.
const SCRATCH: &str = "scratch";

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

/// Whether `asked` would have the campaign's root from an image: it has no other.
pub fn takes_image(machine: Machine, asked: &Asked) -> bool {
    let own = asked.settings.get(ROOT).filter(|root| *root != HOST);
    own.is_none() && tare_layers::takes_image(machine, asked.kind)
}

/// The layers with what `programs` need: `ready` as their root, each in the form that it takes, memory, and room to write. What a layer
/// sets itself stays as it is; one that lacks its image cannot run.
pub fn rooted(
    layers: Vec<Asked>,
    machine: Machine,
    programs: &[WantedProgram],
    ready: Option<&ReadyRoot>,
) -> Result<Vec<Asked>> {
    let memory = programs.iter().map(|wanted| wanted.planned.program.memory_mib).max();
    let overlay = programs.iter().map(|wanted| wanted.overlay_mib).max();
    let [memory, overlay] =
        [memory, overlay].map(|mib| mib.filter(|mib| *mib > 0).map(|mib| format!("{mib}M")));
    let disk = programs.iter().find_map(|wanted| wanted.written_to.as_deref());
    let scratch = disk.map(|folder| match &overlay {
        Some(size) => format!("{size}:{folder}"),
        None => folder.to_owned(),
    });
    let more = [(MEMORY, memory), (OVERLAY, overlay), (SCRATCH, scratch)];
    layers.into_iter().map(|asked| one(asked, machine, ready, &more)).collect()
}

fn one(
    asked: Asked,
    machine: Machine,
    ready: Option<&ReadyRoot>,
    more: &[(&str, Option<String>)],
) -> Result<Asked> {
    let mut settings = Settings::default();
    for (key, value) in asked.settings.iter() {
        if !(key == ROOT && value == HOST && ready.is_some()) {
            settings.default_to(key, value);
        }
    }
    let (kind, ..) = configure(machine, &settings)?;
    let has = |key: &str| kind.settings.iter().any(|setting| setting.key == key);
    if let Some(ready) = ready.filter(|_| has(ROOT)) {
        let root = match ready.image.as_ref().filter(|_| takes_image(machine, &asked)) {
            Some(Err(no)) => return Ok(Asked { layer: lacking(no.clone()), ..asked }),
            Some(Ok(image)) => image,
            None => &ready.tree,
        };
        settings.default_to(ROOT, &root.display().to_string());
    }
    for (key, value) in more.iter().filter(|(key, _)| has(key)) {
        if let Some(value) = value {
            settings.default_to(key, value);
        }
    }
    let (_, settings, layer) = configure(machine, &settings)?;
    Ok(Asked { settings, layer, ..asked })
}
