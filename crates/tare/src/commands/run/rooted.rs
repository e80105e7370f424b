//! The root of a campaign's programs, made before its layers are tried, or held again.

use super::NotBegun;
use crate::config::{Asked, ROOT};
use crate::programs::{self, WantedProgram};
use crate::usage::OrUsage;
use crate::{cli, interrupt, output};
use anyhow::{Result, anyhow};
use std::path::Path;
use tare_layers::{HeldRoot, Host, Keeper, Maker, ReadyRoot, RootRecipe, Settings, hold_again};
use tare_proto::Machine;

/// Most characters of a root's recipe that are shown.
const SHOWN: usize = 200;

/// The layers with what `programs` need; the root that was asked for, if any, stays in the cache meanwhile. Where no image of it
/// can be made, layers that take one lack it.
///
/// # Errors
/// [`NotBegun`]: a layer that is `vital` lacks its image. The root cannot be made.
pub fn with_root(
    asked: Vec<Asked>,
    machine: Machine,
    programs: &[WantedProgram],
    host: &Host,
    keeper: &Keeper,
    vital: impl Fn(&Asked) -> bool,
) -> Result<(Vec<Asked>, Option<ReadyRoot>)> {
    let mut ready = None;
    if let Some(recipe) = programs::recipe(programs).or_usage()? {
        let images: Vec<&Asked> =
            asked.iter().filter(|asked| programs::takes_image(machine, asked)).collect();
        if let Some(asked) = images.iter().find(|asked| vital(asked)) {
            check_image(asked, &recipe, host)?;
        }
        output::note(&format!(
            "The root of programs: {} (made once; 'tare cache list' has its size).",
            tare_proto::harmless(&recipe.to_string(), SHOWN)
        ));
        let by = Maker { cache: &host.cache, keeper, interrupted: interrupt::interrupted };
        let made = tare_layers::ready(&recipe, !images.is_empty(), &by);
        ready = Some(made.map_err(|no| anyhow!("{}; {}", no.why, no.remedy))?);
    }
    Ok((programs::rooted(asked, machine, programs, ready.as_ref())?, ready))
}

/// Looks for what makes images, before minutes are spent on what they are made of.
fn check_image(asked: &Asked, recipe: &RootRecipe, host: &Host) -> Result<()> {
    let Err(no) = tare_layers::check_image(recipe, &host.cache) else { return Ok(()) };
    output::note(&format!(
        "Nothing was measured: {} takes an image of its root ({}; {}).",
        asked.name, no.why, no.remedy
    ));
    Err(NotBegun { code: cli::LAYER_MISSING }.into())
}

/// The roots of programs that `layers` have by their settings; they stay in the cache while this lives.
///
/// # Errors
/// One that was in the cache is there no more.
pub fn hold_roots<'a>(
    layers: impl Iterator<Item = (&'a str, &'a Settings)>,
    cache: &Path,
) -> Result<Vec<HeldRoot>> {
    let mut held = Vec::new();
    for (name, settings) in layers {
        let Some(path) = settings.get(ROOT) else { continue };
        let root = hold_again(cache, Path::new(path));
        held.extend(root.map_err(|no| anyhow!("{name}: {}; {}", no.why, no.remedy))?);
    }
    Ok(held)
}
