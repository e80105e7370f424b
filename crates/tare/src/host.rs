//! What tare itself needs of this host: its cache, the probe in it, a keeper.

use crate::carried::{Carried, PLUGIN, PROBE, PROBE_ARM, PROBE_POWER, PROBE32, VMM};
use crate::output;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use tare_layers::{Host, Keeper, Plugin, Swept, cache_folder};
use tare_store::Counting;

/// The host as layers see it: the probe and the monitor are unpacked if they are not yet.
pub fn host() -> Result<Host> {
    let cache = cache()?;
    cache_folder(&cache).with_context(|| format!("tare's cache {}", cache.display()))?;
    let unpacked = |it: &Carried| it.is_here().then(|| it.unpack(&cache)).transpose();
    let vmm = unpacked(&VMM)?;
    let probe32 = unpacked(&PROBE32)?;
    let probe_arm = unpacked(&PROBE_ARM)?;
    let probe_power = unpacked(&PROBE_POWER)?;
    let tare = Some(own_program()?);
    Ok(Host {
        vmm,
        probe32,
        probe_arm,
        probe_power,
        tare,
        ..Host::new(PROBE.unpack(&cache)?, cache)
    })
}

/// The host with what `counting` takes: the plugin is unpacked if it is not yet.
pub fn counting_host(counting: Counting) -> Result<Host> {
    let mut host = host()?;
    if counting != Counting::Off {
        if !PLUGIN.is_here() {
            bail!(
                "instructions can be counted only on x86-64, not on this architecture ({}): omit --count, --model and \
                 --explain",
                env::consts::ARCH
            );
        }
        let file = PLUGIN.unpack(&host.cache)?;
        host.plugin = Some(Plugin { file, model: counting == Counting::Model });
    }
    Ok(host)
}

/// Removes what earlier runs of tare left, most of them killed together with their keepers or while they made a root, and says so.
pub fn remove_leftovers(host: &Host) {
    for folder in tare_layers::remove_unfinished(&host.cache) {
        output::note(&format!(
            "tare: removed what a killed tare had left unfinished: {}",
            folder.display()
        ));
    }
    let mut named = BTreeSet::new();
    for Swept { id, left, forgotten, doubtful } in tare_layers::sweep(&host.cache) {
        let what = match (left.is_empty(), forgotten) {
            (true, _) => "removed what an earlier tare had left behind of boot",
            (false, false) => "an earlier tare has left something behind of boot",
            (false, true) => "not tried any more: what an earlier tare has left behind of boot",
        };
        output::note(&format!("tare: {what} {id}"));
        left.iter().for_each(|what| output::note(&format!("tare: not removed: {what}")));
        for (pid, name) in doubtful.into_iter().filter(|(pid, _)| named.insert(*pid)) {
            output::note(&format!(
                "tare: not ended: process {pid} ({name}) may be of that boot too; it has lowered the resource limits by which \
                 tare knows a boot's processes. If it is: kill {pid}"
            ));
        }
    }
}

/// Keepers are tare itself under another command.
pub fn keeper() -> Result<Keeper> {
    Ok(Keeper { program: own_program()?, args: vec!["keep".into()], ..Keeper::default() })
}

fn own_program() -> Result<PathBuf> {
    env::current_exe().context("cannot find tare's own program")
}

/// `$TARE_CACHE`, or the user's cache folder.
fn cache() -> Result<PathBuf> {
    let given = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(cache) = given("TARE_CACHE") {
        return Ok(cache);
    }
    let users = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")));
    match users {
        Some(folder) => Ok(folder.join("tare")),
        None => bail!("no folder for tare's cache: set HOME, XDG_CACHE_HOME or TARE_CACHE"),
    }
}
