//! What is measured and on which layers, checked as far as that is possible without booting anything.

use crate::catalog::Catalog;
use crate::cli::RunArgs;
use crate::commands::gate;
use crate::config::{Asked, Resolved, most_vcpus};
use crate::loads::{LoadArg, check_loads, expand};
use crate::pin::Pin;
use crate::programs::{self, WantedProgram};
use crate::sweep::{self, Cost};
use crate::usage::{OrUsage, wrong_usage};
use anyhow::{Result, anyhow, bail};
use std::time::Duration;
use tare_layers::suggestion;
use tare_proto::{BenchInfo, MAX_SAMPLES, name_and_load};
use tare_run::{HOST_SUITE, sandbox_benches as sandbox, simulated};
use tare_store::{Neighbours, Order, Sweep};

/// The suite of rows that show what others hang on.
const ROBUST: &str = "robust";

pub struct Selected {
    /// The benchmarks, before their loads.
    pub benches: Vec<BenchInfo>,
    pub programs: Vec<WantedProgram>,
    pub loads: Vec<LoadArg>,
    pub asked: Vec<Asked>,
    pub sweep: Option<Sweep>,
    /// What is done beside neighbours, where a row is about that.
    pub neighbours: Option<Neighbours>,
    /// What layers hold when they are saved, where it was said.
    pub state: Option<WantedProgram>,
    /// The name of the layer that the others are divided by.
    pub baseline: String,
    pub vcpus: usize,
    /// CPUs that layers are pinned to.
    pub cpus: Vec<u32>,
    /// The same and more, for layers that are made for several.
    pub wide: Vec<u32>,
    /// Which layers are left out because none was named, for people.
    pub left_out: Option<String>,
}

impl Selected {
    /// Looks up everything that was asked for.
    ///
    /// # Errors
    /// Wrong usage: a name that does not exist, what the machine has not, a sweep of many layers.
    pub fn new(args: &RunArgs, resolved: &Resolved, catalog: &Catalog) -> Result<Selected> {
        let benches = select(catalog, resolved).or_usage()?;
        let mut programs = programs::wanted(&resolved.programs, &benches).or_usage()?;
        programs.iter_mut().for_each(|program| program.on(resolved.machine));
        resolved.scratch.check(!programs.is_empty(), resolved.policy.host_matters)?;
        programs::possible_costs(&mut programs, &resolved.programs, &resolved.scratch)
            .or_usage()?;
        let benches = measured(benches, args, resolved, &programs)?;
        let benches = resolved.knobs.sizes(benches).or_usage()?;
        let neighbours = neighbours(catalog, args, &benches).or_usage()?;
        let (benches, state) = with_state(args, benches)?;
        let mut loads = resolved.loads.clone();
        loads.extend(resolved.knobs.load(!loads.is_empty()).or_usage()?);
        programs::check_search(&benches, &loads).and(check_loads(&benches, &loads)).or_usage()?;
        let (asked, swept) = resolved.layers(&benches).or_usage()?;
        gate::check_layers(&resolved.gate, asked.iter().map(|asked| asked.name.as_str()))?;
        let baseline = swept.baseline(resolved.baseline);
        let baseline = existing_baseline(baseline.as_deref(), &asked).or_usage()?;
        let vcpus = most_vcpus(&asked);
        let pin = resolved.pin.clone().unwrap_or_else(|| usual_pin(&benches));
        let cpus = pin.cpus(resolved.policy, vcpus).or_usage()?;
        let wide = match resolved.order {
            Order::Rounds => pin.wide(&cpus, asked.iter().map(|asked| asked.layer.cpus())),
            _ => Vec::new(),
        };
        let cost = Cost {
            policy: resolved.policy,
            layers: asked.len(),
            rows: expand(benches.clone(), &loads, vcpus, &[]).len(),
            length: resolved.length,
        };
        sweep::check(swept.sweep.as_ref(), &cost, args.yes)?;
        Ok(Selected {
            benches,
            programs,
            loads,
            asked,
            sweep: swept.sweep,
            neighbours,
            state,
            baseline,
            vcpus,
            cpus,
            wide,
            left_out: resolved.left_out(),
        })
    }
}

/// The benchmarks that were asked for; beside programs, only the host's unless others are named.
fn select(catalog: &Catalog, resolved: &Resolved) -> Result<Vec<BenchInfo>> {
    let Resolved { suites, globs, programs, .. } = resolved;
    if !programs.is_empty() && suites.is_empty() && globs.is_empty() {
        return Ok(catalog.of_host());
    }
    let mut benches = catalog.select(suites, globs)?;
    if resolved.robust {
        let has = |name: &str| benches.iter().any(|bench| bench.name == name);
        let beside = |bench: &&BenchInfo| {
            bench.suite == ROBUST
                && !has(&bench.name)
                && bench.name.strip_suffix(tare_board::C_LIBRARY).is_some_and(has)
        };
        let more: Vec<BenchInfo> = catalog.benches.iter().filter(beside).cloned().collect();
        benches.extend(more);
    }
    Ok(benches)
}

/// The benchmarks as they were asked for, before the loads of curves are known.
fn measured(
    mut benches: Vec<BenchInfo>,
    args: &RunArgs,
    resolved: &Resolved,
    programs: &[WantedProgram],
) -> Result<Vec<BenchInfo>> {
    if !resolved.policy.shows_host_files && !programs.iter().all(WantedProgram::has_root) {
        wrong_usage!(
            "the simulated machine sees none of this host's files: give the program a root of its own (--root)"
        );
    }
    benches.retain(|bench| !programs::is_program(bench));
    let estimated = estimated(benches, args.format.estimator);
    let benches = timed(estimated, resolved.series);
    let mut benches = simulated::benches(resolved.machine, benches);
    benches.extend(programs.iter().flat_map(|program| program.benches.clone()));
    if benches.is_empty() {
        wrong_usage!("the {} machine has none of these benchmarks", resolved.machine);
    }
    gate::check(&resolved.gate, &gate::units(&benches))?;
    Ok(benches)
}

/// An estimator that is asked for takes the place of the suite's, in what is measured too.
pub fn estimated(
    mut benches: Vec<BenchInfo>,
    estimator: Option<tare_stats::Estimator>,
) -> Vec<BenchInfo> {
    let Some(estimator) = estimator else { return benches };
    let wanted = estimator.samples_wanted().map(|wanted| wanted.min(MAX_SAMPLES) as u32);
    for bench in benches.iter_mut().filter(|bench| bench.samples > 1) {
        bench.estimator = estimator.to_string();
        bench.samples = wanted.unwrap_or(bench.samples);
    }
    benches
}

/// A time that is asked for takes the place of the benchmarks' own.
fn timed(mut benches: Vec<BenchInfo>, series: Option<Duration>) -> Vec<BenchInfo> {
    if let Some(series) = series {
        benches.iter_mut().for_each(|bench| bench.series_ms = series.as_millis() as u64);
    }
    benches
}

/// What is done beside neighbours, and by them, where one of `benches` is about that.
fn neighbours(
    catalog: &Catalog,
    args: &RunArgs,
    benches: &[BenchInfo],
) -> Result<Option<Neighbours>> {
    if !benches.iter().any(sandbox::has_neighbours) {
        for (flag, given) in [("beside", &args.beside), ("neighbour", &args.neighbour)] {
            if given.is_some() {
                bail!(
                    "--{flag} applies only to the rows beside/* of the suite sandbox: add --bench 'beside/*'"
                );
            }
        }
        return Ok(None);
    }
    let own = |bench: &&BenchInfo| catalog.is_of_probe(bench) && bench.needs.is_empty();
    let find = |flag: &str, name: &str| {
        let (plain, _) = name_and_load(name);
        let found = catalog.benches.iter().filter(own).find(|bench| bench.name == plain);
        found.ok_or_else(|| {
            let own = catalog.benches.iter().filter(own);
            let names: Vec<&str> = own.map(|bench| bench.name.as_str()).collect();
            let instead = suggestion(name, &names);
            anyhow!("--{flag} {name} is not a benchmark of the probe; {instead}")
        })
    };
    let measured = args.beside.as_deref().unwrap_or(sandbox::WORK);
    let better = find("beside", measured)?.better;
    let busy = args.neighbour.as_deref().unwrap_or(sandbox::NEIGHBOUR);
    find("neighbour", busy)?;
    Ok(Some(Neighbours { measured: measured.into(), better, busy: busy.into() }))
}

/// The command that layers hold when they are saved, and the rows that need a root for it.
fn with_state(
    args: &RunArgs,
    mut benches: Vec<BenchInfo>,
) -> Result<(Vec<BenchInfo>, Option<WantedProgram>)> {
    let state = programs::state(args).or_usage()?;
    if state.is_none() {
        return Ok((benches, None));
    }
    if !benches.iter().any(sandbox::saves) {
        wrong_usage!(
            "--state applies only to the rows of the suite sandbox that save layers: add --suite sandbox, or --bench 'restore/*'"
        );
    }
    for bench in benches.iter_mut().filter(|bench| sandbox::saves(bench)) {
        bench.needs = programs::NEEDS.into();
    }
    Ok((benches, state))
}

fn existing_baseline(wanted: Option<&str>, layers: &[Asked]) -> Result<String> {
    let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
    match wanted {
        Some(name) if names.contains(&name) => Ok(name.to_owned()),
        Some(name) => bail!("no layer '{name}' to be the baseline; {}", suggestion(name, &names)),
        None if names.contains(&"native") => Ok("native".into()),
        None => Ok(names[0].to_owned()),
    }
}

/// Whole layers are started as a user starts them, anywhere, when nothing but the host's rows is measured.
fn usual_pin(benches: &[BenchInfo]) -> Pin {
    let whole = |bench: &BenchInfo| sandbox::is_row(bench) || bench.suite == HOST_SUITE.0;
    let anywhere = benches.iter().any(sandbox::is_row) && benches.iter().all(whole);
    if anywhere { Pin::None } else { Pin::Auto }
}
