//! `tare run`: plans a campaign, tries its layers, runs it, prints its scoreboard.

mod plan;
mod prepared;
mod rehearsed;
mod request;
mod tried;

pub use plan::boot_limit;
pub use prepared::Prepared;

use crate::catalog::Catalog;
use crate::cli::{self, FormatArgs, RunArgs};
use crate::commands::{explain, show};
use crate::config::{Asked, Config};
use crate::loads::{expand, find_all, searched};
use crate::programs::{self, Wanted};
use crate::progress::Progress;
use crate::usage::OrUsage;
use crate::{host, interrupt, output};
use anyhow::{Context, Result, anyhow, bail};
use plan::{check_machine, counting, estimated};
use request::Request;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tare_layers::{Host, Keeper, Maker, ReadyRoot, takes_image};
use tare_proto::{BenchInfo, Machine};
use tare_run::{CampaignLayer, Event, FoundLoads, History, Observer, Search, Trials};
use tare_store::{LayerRow, Plan, Store, StoreError, Warning};
use tried::Tried;

/// Time that a layer may take from its start to its greeting.
pub const BOOT: Duration = Duration::from_secs(30);

/// Most characters of a root's recipe that are shown.
const ROOT_SHOWN: usize = 200;

/// Runs a whole new campaign, prints its scoreboard and leaves its page.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    let config = Config::read(args.config.as_deref())?;
    let args = &plan::with(args, &config);
    let code = quietly(args, &config, Some(&args.format))?;
    match code {
        Ran::Whole(out, code) => after(args, &out, code),
        Ran::Not(code) => Ok(code),
    }
}

/// Refuses what `run` would refuse of these arguments before it boots anything, on whichever host.
pub fn check(args: &RunArgs) -> Result<()> {
    let config = Config::read(args.config.as_deref())?;
    let args = &plan::with(args, &config);
    let machine = args.machine.or(config.machine).unwrap_or_default();
    check_machine(machine, args, &config).or_usage()?;
    let catalog = Catalog::load(&host::host()?.probe)?;
    Request::of(args, &config, machine, &catalog).map(drop)
}

/// What became of a campaign.
pub enum Ran {
    /// It lies here, and this is how to exit.
    Whole(PathBuf, ExitCode),
    /// It was not begun.
    Not(ExitCode),
}

/// Runs a whole new campaign; without a `shown` form nothing is printed of it, and no page left.
pub fn quietly(args: &RunArgs, config: &Config, shown: Option<&FormatArgs>) -> Result<Ran> {
    let machine = args.machine.or(config.machine).unwrap_or_default();
    check_machine(machine, args, config).or_usage()?;
    let (mut host, keeper) = (host::counting_host(counting(args, machine))?, host::keeper()?);
    host.destroy_disks = args.destroy_disk_contents;
    let catalog = Catalog::load(&host.probe)?;
    let request = Request::of(args, config, machine, &catalog)?;
    request.left_out.iter().for_each(|others| output::note(others));
    let Request {
        benches, programs, loads, asked, sweep, neighbours, baseline, vcpus, cpus, ..
    } = request;
    let out = args.out.clone().unwrap_or_else(fresh_directory);
    check_place(&out)?;
    interrupt::listen()?;

    host::sweep(&host);
    let rooted = with_root(asked, machine, &programs, (&host, &keeper));
    if interrupt::interrupted() {
        return Ok(Ran::Not(cli::INTERRUPTED.into()));
    }
    let (asked, _root) = rooted?;
    let mut progress = Progress::new();
    let (within, interrupted) = (boot_limit(args, machine), interrupt::interrupted);
    let trials = Trials { host: &host, keeper: &keeper, within, anew: false, interrupted };
    let tried = match tried::every(asked, machine, &trials, args.require, &mut progress) {
        Ok(tried) => tried,
        Err(code) => return Ok(Ran::Not(code)),
    };
    let begin = Instant::now();
    let base = tried::baseline(&tried, &baseline)?;
    let boot = boot_limit(args, machine);
    let on = Setup { host: &host, keeper: &keeper, machine, cpus: &cpus, boot };
    let curves = searched(&benches, &loads);
    let search = |base: &Tried| search_all(curves, &base.weighed, &on, &mut progress);
    let found = base.map(search).transpose()?.unwrap_or_default();
    let benches = expand(benches, &loads, vcpus, &found);
    let mut programs = programs::at_loads(programs, &loads, vcpus);
    let benches = rehearsed::rows(benches, &mut programs, base, &on, &mut progress)?;
    if interrupt::interrupted() {
        return Ok(Ran::Not(cli::INTERRUPTED.into()));
    }
    let benches = estimated(benches, args.format.estimator);
    let (on, cache) = ((baseline, cpus.clone()), catalog.cache_bytes);
    let plan = plan::plan(machine, args, config, on, cache, &tried, &benches)?;
    let plan = Plan { sweep, neighbours, ..prepared_by(plan, &programs, &found, begin) };
    let discard = |_: &anyhow::Error| tare_store::discard_empty(&out);
    let mut store = Store::create(&out, &plan, &rows(&tried), &benches)?;
    remember(&mut store, &plan, &tried, &found).inspect_err(discard)?;
    let layers = tried.into_iter().map(|tried| tried.weighed).collect();
    let campaign = Prepared { store, plan, layers, benches, history: History::default() };
    let code = campaign.run(&host, &keeper, &mut progress, &out, shown).inspect_err(discard)?;
    Ok(Ran::Whole(out, code))
}

/// The layers with what `programs` need; the root that was asked for, if any, stays in the cache meanwhile.
pub fn with_root(
    asked: Vec<Asked>,
    machine: Machine,
    programs: &[Wanted],
    (host, keeper): (&Host, &Keeper),
) -> Result<(Vec<Asked>, Option<ReadyRoot>)> {
    let mut ready = None;
    if let Some(recipe) = programs::recipe(programs).or_usage()? {
        let image = asked.iter().any(|asked| takes_image(machine, asked.kind));
        output::note(&format!(
            "The root of programs: {} (made once; 'tare cache list' has its size).",
            tare_proto::harmless(&recipe.to_string(), ROOT_SHOWN)
        ));
        let by = Maker { cache: &host.cache, keeper, interrupted: interrupt::interrupted };
        let made = tare_layers::ready(&recipe, image, &by);
        ready = Some(made.map_err(|no| anyhow!("{}; {}", no.why, no.remedy))?);
    }
    Ok((programs::rooted(asked, machine, programs, ready.as_ref())?, ready))
}

/// The plan after what came before the campaign, from `begin` on: the programs as they were rehearsed, and the time that is
/// left of the budget.
fn prepared_by(plan: Plan, programs: &[Wanted], found: &[FoundLoads], begin: Instant) -> Plan {
    let spent = begin.elapsed().as_secs_f64();
    let left = |budget: f64| match found.is_empty() && programs.is_empty() {
        true => budget,
        false => (budget - spent).max(1.0),
    };
    let budget_s = plan.budget_s.map(left);
    let programs = programs.iter().map(|program| program.planned.clone()).collect();
    Plan { budget_s, programs, ..plan }
}

/// What follows a campaign that has been run: explanations, the gate.
fn after(args: &RunArgs, out: &Path, code: ExitCode) -> Result<ExitCode> {
    if args.explain {
        explain::every(out)?;
    }
    let done = code == ExitCode::SUCCESS;
    if done && !show::passes(&tare_store::load(out)?, &args.format, &args.gate)? {
        return Ok(cli::GATE.into());
    }
    Ok(code)
}

fn fresh_directory() -> PathBuf {
    PathBuf::from(format!(
        "tare-{}",
        tare_run::now().replace([':', 'T'], "-").trim_end_matches('Z')
    ))
}

/// A place that holds a campaign, has no room or cannot be written is known before anything is booted. Nothing is left
/// there until there is a campaign.
fn check_place(out: &Path) -> Result<()> {
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

/// As many CPUs as the largest of the layers has.
pub fn most_vcpus(asked: &[Asked]) -> usize {
    let of = |asked: &Asked| asked.settings.number("vcpus", 1, 1, 1024).unwrap_or(1) as usize;
    asked.iter().map(of).max().unwrap_or(1)
}

fn rows(tried: &[Tried]) -> Vec<LayerRow> {
    tried.iter().map(|tried| tried.row.clone()).collect()
}

/// What was found out before the first boot.
fn remember(store: &mut Store, plan: &Plan, tried: &[Tried], found: &[FoundLoads]) -> Result<()> {
    for Tried { row, of_its_host, .. } in tried {
        row.artifacts.iter().try_for_each(|file| store.add_artifact(&row.name, file))?;
        let said = |text: &String| Warning {
            layer: Some(row.name.clone()),
            benchmark: None,
            text: text.clone(),
        };
        of_its_host.iter().try_for_each(|text| store.warn(&said(text)))?;
    }
    found.iter().try_for_each(|found| store.warn(&remark(&plan.baseline, found)))?;
    Ok(())
}

/// Where layers are booted before there is a campaign.
struct Setup<'a> {
    host: &'a Host,
    keeper: &'a Keeper,
    machine: Machine,
    cpus: &'a [u32],
    boot: Duration,
}

impl<'a> Setup<'a> {
    /// What is to be found out by boots of `layer`.
    fn search(&self, layer: &'a CampaignLayer) -> Search<'a> {
        let Setup { host, keeper, machine, cpus, boot } = *self;
        let (name, layer) = (layer.name.as_str(), &*layer.layer);
        let (batch_ns, interrupted) = (tare_run::BATCH_NS, interrupt::interrupted);
        Search { name, layer, host, keeper, machine, cpus, batch_ns, boot, interrupted }
    }
}

/// The loads of every one of `benches`, as they are found on `layer`; what an interrupt cut short is left out.
fn search_all(
    benches: Vec<&BenchInfo>,
    layer: &CampaignLayer,
    on: &Setup,
    progress: &mut Progress,
) -> Result<Vec<FoundLoads>> {
    let (name, search) = (layer.name.as_str(), on.search(layer));
    find_all(benches, |bench| match search.loads(bench, progress) {
        Ok(found) => {
            progress.event(Event::Loads(&found));
            Ok(Some(found))
        }
        Err(_) if interrupt::interrupted() => Ok(None),
        Err(error) => {
            let bench = &bench.name;
            bail!("no loads for {bench}: {name} failed ({error}); list some: --load {bench}=1,2,4")
        }
    })
}

/// What a reader of the scoreboard should know of a curve's end.
fn remark(layer: &str, found: &FoundLoads) -> Warning {
    let (layer, benchmark) = (Some(layer.to_owned()), Some(found.benchmark.clone()));
    Warning { layer, benchmark, text: format!("loads were found here: {}", found.end) }
}
