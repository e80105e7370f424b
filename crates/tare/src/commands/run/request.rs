//! What was asked for, checked as far as that is possible without booting anything.

use super::{most_vcpus, plan};
use crate::catalog::Catalog;
use crate::cli::RunArgs;
use crate::commands::gate;
use crate::config::{Asked, Config};
use crate::loads::{LoadArg, check_loads, expand};
use crate::programs::{self, Wanted};
use crate::sweep;
use crate::usage::{OrUsage, wrong_usage};
use anyhow::Result;
use tare_proto::{BenchInfo, Machine};
use tare_run::simulated;
use tare_store::{Neighbours, Sweep};

/// What flags and file come to.
pub struct Request {
    /// The benchmarks, before their loads.
    pub benches: Vec<BenchInfo>,
    pub programs: Vec<Wanted>,
    pub loads: Vec<LoadArg>,
    pub asked: Vec<Asked>,
    pub sweep: Option<Sweep>,
    /// What is done beside neighbours, where a row is about that.
    pub neighbours: Option<Neighbours>,
    /// The name of the layer that the others are divided by.
    pub baseline: String,
    /// CPUs of the largest layer.
    pub vcpus: usize,
    /// CPUs that layers are pinned to.
    pub cpus: Vec<u32>,
    /// Which layers are left out because none was named, for people.
    pub left_out: Option<String>,
}

impl Request {
    /// Reads flags and file.
    pub fn of(
        args: &RunArgs,
        config: &Config,
        machine: Machine,
        catalog: &Catalog,
    ) -> Result<Request> {
        let knobs =
            if args.sweep.is_empty() { config.sweeps().or_usage()? } else { args.sweep.clone() };
        let design = args.design.or(config.design);
        let sweep = sweep::Wanted::of(knobs, design).or_usage()?;
        let benches = plan::select(catalog, args, config).or_usage()?;
        let mut programs = programs::wanted(args, config, &benches).or_usage()?;
        programs.iter_mut().for_each(|program| program.on(machine));
        let benches = measured(benches, args, config, machine, &programs)?;
        let benches = sweep.sizes(benches).or_usage()?;
        let neighbours = plan::neighbours(catalog, args, &benches).or_usage()?;
        let mut loads = plan::loads(args, config, machine).or_usage()?;
        loads.extend(sweep.load(!loads.is_empty()).or_usage()?);
        programs::check_search(&benches, &loads).and(check_loads(&benches, &loads)).or_usage()?;
        let (asked, swept) = config.layers(args, machine, &benches, &sweep).or_usage()?;
        let baseline = args.baseline.as_deref().or(config.baseline.as_deref());
        let baseline = swept.baseline(baseline);
        let baseline = plan::baseline(baseline.as_deref(), &asked).or_usage()?;
        let vcpus = most_vcpus(&asked);
        let cpus = plan::pin(args, &benches).cpus(machine, vcpus).or_usage()?;
        let rows = expand(benches.clone(), &loads, vcpus, &[]).len();
        let cost = plan::cost(args, config, machine, asked.len(), rows);
        sweep::check(swept.sweep.as_ref(), &cost, args.yes)?;
        let left_out = config.left_out(args, machine).filter(|_| !sweep.turns_layers());
        let sweep = swept.sweep;
        Ok(Request {
            benches,
            programs,
            loads,
            asked,
            sweep,
            neighbours,
            baseline,
            vcpus,
            cpus,
            left_out,
        })
    }
}

/// The benchmarks as they were asked for, before the loads of curves are known.
fn measured(
    mut benches: Vec<BenchInfo>,
    args: &RunArgs,
    config: &Config,
    machine: Machine,
    programs: &[Wanted],
) -> Result<Vec<BenchInfo>> {
    if machine == Machine::Sim && !programs.iter().all(Wanted::has_root) {
        wrong_usage!(
            "the simulated machine sees none of this host's files: give the program a root of its own (--root)"
        );
    }
    benches.retain(|bench| !programs::is_program(bench));
    let estimated = plan::estimated(benches, args.format.estimator);
    let benches = plan::timed(estimated, args.series.or(config.series));
    let mut benches = simulated::benches(machine, benches);
    benches.extend(programs.iter().flat_map(|program| program.benches.clone()));
    if benches.is_empty() {
        wrong_usage!("the {machine} machine has none of these benchmarks");
    }
    gate::check(&args.gate, benches.iter().map(|bench| bench.unit))?;
    Ok(benches)
}
