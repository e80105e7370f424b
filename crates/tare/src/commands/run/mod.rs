//! `tare run`: plans a campaign, tries its layers, runs it, prints its scoreboard.

pub mod changed;
pub mod compared;
pub mod plan;
mod prepared;
mod rehearsed;
mod rooted;
mod selected;
mod trial_boots;
mod tried;

pub use prepared::Prepared;
pub use rooted::{hold_roots, with_root};

use crate::catalog::Catalog;
use crate::cli::{self, FormatArgs, RunArgs};
use crate::commands::{explained, show};
use crate::config::{Asked, Config, Resolved};
use crate::loads::{expand, searched};
use crate::programs;
use crate::progress::Progress;
use crate::{host, interrupt, output};
use anyhow::{Context, Error, Result};
use selected::Selected;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tare_layers::Host;
use tare_run::{CampaignLayer, FoundLoads, History, initramfs_of};
use tare_store::{Plan, Store, StoreError, Warning};
use trial_boots::TrialBoots;
use tried::Tried;

/// Runs a whole new campaign, prints its scoreboard and leaves its page.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    let config = Config::read(args.config.as_deref())?;
    let resolved = Resolved::new(args, &config)?;
    match campaign(args, &resolved, Some(&args.format)) {
        Ok(ran) => after(args, &resolved, &ran),
        Err(error) => code_of(error),
    }
}

/// The exit code of a campaign that was not begun.
fn code_of(error: Error) -> Result<ExitCode> {
    match error.downcast_ref::<NotBegun>() {
        Some(NotBegun { code }) => Ok((*code).into()),
        None => Err(error),
    }
}

/// Refuses what `run` would refuse of these arguments before it boots anything, on whichever host.
pub fn check(args: &RunArgs) -> Result<()> {
    let config = Config::read(args.config.as_deref())?;
    let resolved = Resolved::new(args, &config)?;
    let catalog = Catalog::load(&host::host()?.probe)?;
    Selected::new(args, &resolved, &catalog).map(drop)
}

/// Runs a whole new campaign of `args` alone; nothing is printed of it, and no page left.
pub fn quietly(args: &RunArgs) -> Result<()> {
    let config = Config::default();
    campaign(args, &Resolved::new(args, &config)?, None).map(drop)
}

/// A campaign that was not begun, which is no failure: it was interrupted before, or a required layer is missing.
#[derive(Debug, thiserror::Error)]
#[error("the campaign was not begun")]
struct NotBegun {
    code: u8,
}

/// Stops what comes before a campaign when the user has interrupted it.
fn go_on() -> Result<()> {
    match interrupt::interrupted() {
        true => Err(NotBegun { code: cli::INTERRUPTED }.into()),
        false => Ok(()),
    }
}

struct Ran {
    out: PathBuf,
    code: ExitCode,
    /// Whether every layer was named and has to give figures.
    required: bool,
}

/// Runs a whole new campaign; without a `shown` form nothing is printed of it, and no page left.
fn campaign(args: &RunArgs, resolved: &Resolved, shown: Option<&FormatArgs>) -> Result<Ran> {
    let mut host = host::counting_host(resolved.counting)?;
    host.destroy_disks = args.destroy_disk_contents;
    let keeper = host::keeper()?;
    let catalog = Catalog::load(&host.probe)?;
    let selected = Selected::new(args, resolved, &catalog)?;
    let out = args.out.clone().unwrap_or_else(fresh_directory);
    check_place(&out)?;
    let base = selected.asked.iter().find(|asked| asked.name == selected.baseline);
    programs::present(&selected.programs, base)?;
    selected.left_out.iter().for_each(|others| output::note(others));
    programs::say_as_they_are(&selected.programs, &selected.asked);
    interrupt::listen()?;
    host::remove_leftovers(&host);

    let Selected { asked, mut programs, loads, vcpus, .. } = selected;
    let scratch = resolved.scratch.place()?;
    programs.iter_mut().for_each(|program| program.write_to(&scratch));
    let with_roots: Vec<_> = programs.iter().chain(&selected.state).cloned().collect();
    let vital = |asked: &Asked| asked.name == selected.baseline || (args.require && asked.named);
    let rooted = with_root(asked, resolved.machine, &with_roots, &host, &keeper, vital);
    go_on()?;
    let (asked, _root) = rooted?;
    let as_it_is = |asked: &Asked| programs::as_they_are(asked.kind, &asked.settings).is_some();
    let scratch = (!programs.is_empty() && !asked.iter().any(as_it_is)).then_some(scratch);
    let mut progress = Progress::new();
    let setup = TrialBoots {
        host: &host,
        keeper: &keeper,
        machine: resolved.machine,
        cpus: &selected.cpus,
        boot: resolved.boot_limit,
    };
    let tried = tried::every(asked, &setup, args.require, &mut progress)?;
    let begin = Instant::now();
    let base = tried::baseline(&tried, &selected.baseline, !programs.is_empty())?;
    let curves = searched(&selected.benches, &loads);
    let search = |base: &Tried| setup.search_loads(curves, &base.weighed, &mut progress);
    let found = base.map(search).transpose()?.unwrap_or_default();
    let benches = expand(selected.benches, &loads, vcpus, &found);
    let mut programs = programs::at_loads(programs, &loads, vcpus);
    let benches = rehearsed::rows(benches, &mut programs, base, &setup, &mut progress)?;
    go_on()?;

    let benches = selected::estimated(benches, args.format.estimator);
    let took_time = !(found.is_empty() && programs.is_empty());
    let contents = plan::Contents {
        baseline: selected.baseline,
        cpus: selected.cpus.clone(),
        wide: selected.wide,
        cache_bytes: catalog.cache_bytes,
        tried: &tried,
        benches: &benches,
        programs: &programs,
        sweep: selected.sweep,
        neighbours: selected.neighbours,
        scratch,
        state: selected.state,
        initramfs: initramfs(&tried, &host)?,
        spent_s: if took_time { begin.elapsed().as_secs_f64() } else { 0.0 },
    };
    let plan = plan::plan(resolved, contents);
    let required = args.require && tried.iter().all(|tried| tried.named);
    let rows: Vec<_> = tried.iter().map(|tried| tried.row.clone()).collect();
    let discard = |_: &anyhow::Error| tare_store::discard_empty(&out);
    let mut store = Store::create(&out, &plan, &rows, &benches)?;
    remember(&mut store, &plan, &tried, &found).inspect_err(discard)?;
    let layers = tried.into_iter().map(|tried| tried.weighed).collect();
    let prepared = Prepared { store, plan, layers, benches, history: History::default() };
    let code = prepared.run(&host, &keeper, &mut progress, &out, shown).inspect_err(discard)?;
    Ok(Ran { out, code, required })
}

/// What follows a campaign that has been run: explanations, the gate, whether there was anything to compare.
fn after(args: &RunArgs, resolved: &Resolved, ran: &Ran) -> Result<ExitCode> {
    let Ran { out, code, required } = ran;
    if resolved.explain {
        explained::every(out)?;
    }
    if *code != ExitCode::SUCCESS {
        return Ok(*code);
    }
    if !show::passes(&tare_store::load(out)?, &args.format, &resolved.gate)? {
        return Ok(cli::GATE.into());
    }
    compared::code(out, *required)
}

fn fresh_directory() -> PathBuf {
    PathBuf::from(format!(
        "tare-{}",
        tare_run::now().replace([':', 'T'], "-").trim_end_matches('Z')
    ))
}

/// A place that holds a campaign, has no room or cannot be written is known before anything is booted. Nothing is left
/// there until there is a campaign.
pub fn check_place(out: &Path) -> Result<()> {
    if out.join(tare_store::FILE).exists() {
        return Err(StoreError::Exists(out.to_owned()).into());
    }
    tare_run::check_space(out)
        .with_context(|| format!("not enough space for a campaign in {}", out.display()))?;
    let missing = |place: &&Path| !place.as_os_str().is_empty() && !place.exists();
    let missing: Vec<&Path> = out.ancestors().take_while(missing).collect();
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let written = tempfile::tempfile_in(out);
    missing.into_iter().try_for_each(std::fs::remove_dir)?;
    written.map(drop).with_context(|| {
        format!("cannot write in {}; name another place with --out", out.display())
    })
}

/// SHA-256 of what each layer boots with that has an initramfs whose content a boot's requests do not change.
fn initramfs(tried: &[Tried], host: &Host) -> Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    let bootable = tried.iter().map(|tried| &tried.weighed).filter(|one| one.trial_s.is_some());
    for CampaignLayer { name, layer, .. } in bootable.filter(|one| one.layer.scripted()) {
        let hash = initramfs_of(&**layer, host);
        let hash = hash.with_context(|| format!("cannot look at what {name} boots with"))?;
        all.extend(hash.map(|hash| (name.clone(), hash)));
    }
    Ok(all)
}

/// What was found out before the first boot.
fn remember(store: &mut Store, plan: &Plan, tried: &[Tried], found: &[FoundLoads]) -> Result<()> {
    for Tried { row, comments, .. } in tried {
        row.artifacts.iter().try_for_each(|file| store.add_artifact(row.name.raw(), file))?;
        let said = |text: &String| Warning {
            layer: Some(row.name.clone()),
            benchmark: None,
            text: text.clone().into(),
        };
        comments.iter().try_for_each(|text| store.warn(&said(text)))?;
    }
    found.iter().try_for_each(|found| store.warn(&remark(plan.baseline.raw(), found)))?;
    Ok(())
}

/// What a reader of the scoreboard should know of a curve's end.
fn remark(layer: &str, found: &FoundLoads) -> Warning {
    Warning {
        layer: Some(layer.into()),
        benchmark: Some(found.benchmark.as_str().into()),
        text: format!("loads were found here: {}", found.end).into(),
    }
}
