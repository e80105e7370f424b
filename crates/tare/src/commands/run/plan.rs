//! What a campaign will be: flags and the file, made into a plan.

use super::{BOOT, Tried};
use crate::carried::PROBE;
use crate::catalog::Catalog;
use crate::cli::RunArgs;
use crate::config::{Asked, Config};
use crate::loads::LoadArg;
use crate::pin::Pin;
use crate::programs;
use crate::shell;
use crate::sweep::Cost;
use anyhow::{Result, anyhow, bail};
use std::time::Duration;
use tare_layers::{has_counters, suggestion};
use tare_proto::{BenchInfo, MAX_SAMPLES, Machine, name_and_load};
use tare_run::{BATCH_NS, HOST_SUITE, sandbox_benches as sandbox, simulated};
use tare_store::{Counting, Neighbours, Order, Plan};

/// Time that a campaign may take when nothing is said.
const BUDGET: Duration = Duration::from_secs(300);

/// Differences up to this are equivalence when nothing is said, in percent.
const MARGIN: f64 = 2.0;

/// Intervals as narrow as this share of the margin need no more of the budget when nothing is said: corrected for all rows
/// together, they are about twice as wide, and equivalence is then shown where the ratio is within half the margin.
const WIDTH: f64 = 0.25;

/// Shortest timed batch where layers take turns: the best of several short batches escapes interruptions more surely.
const TURN_BATCH_NS: u64 = 100_000;

/// What the flags say, and the file where it only adds.
pub fn with(args: &RunArgs, config: &Config) -> RunArgs {
    let mut args = args.clone();
    args.count |= config.count;
    args.model |= config.model;
    args.explain |= config.explain;
    args.pin = args.pin.or_else(|| config.pin.clone());
    args
}

/// How layers are pinned. Whole layers are started as a user starts them, anywhere, when nothing but the host's rows is measured.
pub fn pin(args: &RunArgs, benches: &[BenchInfo]) -> Pin {
    let whole = |bench: &BenchInfo| sandbox::is_row(bench) || bench.suite == HOST_SUITE.0;
    let anywhere = benches.iter().any(sandbox::is_row) && benches.iter().all(whole);
    args.pin.clone().unwrap_or(if anywhere { Pin::None } else { Pin::Auto })
}

/// What is done beside neighbours, and by them, where one of `benches` is about that.
pub fn neighbours(
    catalog: &Catalog,
    args: &RunArgs,
    benches: &[BenchInfo],
) -> Result<Option<Neighbours>> {
    let asked = [
        ("beside", &args.beside, sandbox::WORK),
        ("neighbour", &args.neighbour, sandbox::NEIGHBOUR),
    ];
    if !benches.iter().any(sandbox::has_neighbours) {
        return match asked.iter().find(|(_, given, _)| given.is_some()) {
            Some((flag, ..)) => bail!(
                "--{flag} is about the rows beside/* of the suite sandbox: add --bench 'beside/*'"
            ),
            None => Ok(None),
        };
    }
    let own = |bench: &&BenchInfo| catalog.is_of_probe(bench) && bench.needs.is_empty();
    let names: Vec<&str> =
        catalog.benches.iter().filter(own).map(|bench| bench.name.as_str()).collect();
    let [work, busy] = asked.map(|(flag, given, usual)| {
        let name = given.as_deref().unwrap_or(usual);
        let (plain, _) = name_and_load(name);
        let found = catalog.benches.iter().filter(own).find(|bench| bench.name == plain);
        found.map(|bench| (name.to_owned(), bench.better)).ok_or_else(|| {
            anyhow!(
                "--{flag} {name}: none that layers run by themselves; {}",
                suggestion(name, &names)
            )
        })
    });
    let ((measured, better), (busy, _)) = (work?, busy?);
    Ok(Some(Neighbours { measured, better, busy }))
}

/// The benchmarks that were asked for; beside programs, only the host's unless others are named.
pub fn select(catalog: &Catalog, args: &RunArgs, config: &Config) -> Result<Vec<BenchInfo>> {
    let either = |flag: &[String], file: &[String]| {
        if flag.is_empty() { file.to_vec() } else { flag.to_vec() }
    };
    let suites = either(&args.suite, &config.suite);
    let globs = either(&args.bench, &config.bench);
    if programs::are_given(args, config) && suites.is_empty() && globs.is_empty() {
        return Ok(catalog.of_host());
    }
    catalog.select(&suites, &globs)
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
pub fn timed(mut benches: Vec<BenchInfo>, series: Option<Duration>) -> Vec<BenchInfo> {
    if let Some(series) = series {
        benches.iter_mut().for_each(|bench| bench.series_ms = series.as_millis() as u64);
    }
    benches
}

/// The loads that were asked for: the flags', or else the file's.
pub fn loads(args: &RunArgs, config: &Config, machine: Machine) -> Result<Vec<LoadArg>> {
    let load =
        |text: &String| text.parse().map_err(|why| anyhow!("tare.toml, load = {text}: {why}"));
    let asked: Vec<LoadArg> = match args.load.is_empty() {
        false => args.load.clone(),
        true => config.load.iter().map(load).collect::<Result<_>>()?,
    };
    if machine == Machine::Sim && asked.iter().any(LoadArg::is_auto) {
        bail!(
            "--load auto looks for loads step by step, and --machine sim is asked nothing while it runs; list them: \
             --load 1,2,4"
        );
    }
    Ok(asked)
}

/// The layer that the others are divided by.
pub fn baseline(wanted: Option<&str>, layers: &[Asked]) -> Result<String> {
    let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
    match wanted {
        Some(name) if names.contains(&name) => Ok(name.to_owned()),
        Some(name) => bail!("no layer '{name}' to be the baseline; {}", suggestion(name, &names)),
        None if names.contains(&"native") => Ok("native".into()),
        None => Ok(names[0].to_owned()),
    }
}

/// What cannot be said of a simulated machine.
pub fn check_machine(machine: Machine, args: &RunArgs, config: &Config) -> Result<()> {
    if machine == Machine::Sim && (args.budget.is_some() || config.budget.is_some()) {
        bail!(
            "--budget is time on this host, which must not influence what --machine sim measures; give --blocks"
        );
    }
    let asked = args.order.or(config.order);
    if apart(args, machine) && asked.is_some_and(|order| order != Order::Boots) {
        bail!("--machine sim, --count and --model boot one layer after the other: --order boots");
    }
    Ok(())
}

/// Time that a layer may take to greet.
pub fn boot_limit(args: &RunArgs, machine: Machine) -> Duration {
    let usual = if machine == Machine::Sim { simulated::BOOT } else { BOOT };
    args.boot_limit.unwrap_or(usual)
}

/// What the time of a campaign of so many `layers` and `rows` depends on.
pub fn cost(args: &RunArgs, config: &Config, machine: Machine, layers: usize, rows: usize) -> Cost {
    let budget = args.budget.or(config.budget).unwrap_or(BUDGET);
    Cost { machine, layers, rows, blocks: blocks(args, config, machine), budget }
}

/// How many blocks are asked for; `None` when there is a time budget instead.
fn blocks(args: &RunArgs, config: &Config, machine: Machine) -> Option<u32> {
    let of_file = config.blocks.map(u32::from).filter(|_| args.budget.is_none());
    let usual = (machine == Machine::Sim).then_some(simulated::BLOCKS);
    args.blocks.or(of_file).or(usual)
}

/// All that is kept of what was asked for.
pub fn plan(
    machine: Machine,
    args: &RunArgs,
    config: &Config,
    (baseline, cpus): (String, Vec<u32>),
    cache_bytes: u64,
    tried: &[Tried],
    benches: &[BenchInfo],
) -> Result<Plan> {
    let is_sim = machine == Machine::Sim;
    let order = order(args, config, machine);
    let batch_ns = if order == Order::Rounds { TURN_BATCH_NS } else { BATCH_NS };
    let blocks = blocks(args, config, machine);
    let budget = args.budget.or(config.budget).unwrap_or(BUDGET).as_secs_f64();
    let budget_s = blocks.is_none().then_some(budget);
    let margin = args.margin.or(config.margin).unwrap_or(MARGIN);
    let starts: f64 = tried.iter().filter_map(|tried| tried.weighed.trial_s).sum();
    let boots = 1 + tried.iter().filter(|tried| tried.weighed.trial_s.is_some()).count();
    let series_ms = || tare_run::series_ms(budget_s, starts, boots, benches);
    Ok(Plan {
        machine,
        order,
        seed: args.seed.or(config.seed).unwrap_or_else(seed_from_clock),
        baseline,
        budget_s,
        blocks,
        width: args.width.or(config.width).unwrap_or(WIDTH * margin) / 100.0,
        cpus,
        batch_ns: if is_sim { simulated::BATCH } else { batch_ns },
        series_ms: if is_sim { simulated::SERIES_MS } else { series_ms() },
        counting: counting(args, machine),
        // Where a simulated processor has no counters of its own, the plugin counts.
        events: args.explain && (!is_sim || tried.iter().all(|it| has_counters(&it.row.kind))),
        cache_bytes: if is_sim { simulated::CACHE_BYTES } else { cache_bytes },
        boot_s: boot_limit(args, machine).as_secs_f64(),
        margin: margin / 100.0,
        created: tare_run::now(),
        tare_version: env!("CARGO_PKG_VERSION").into(),
        probe_sha256: PROBE.sha256(),
        command: shell::own_command(),
        programs: Vec::new(),
        sweep: None,
        neighbours: None,
    })
}

/// How layers take turns. Nobody says anything to a simulated machine, and what is counted is told apart by boots.
fn order(args: &RunArgs, config: &Config, machine: Machine) -> Order {
    let usual = if apart(args, machine) { Order::Boots } else { Order::Rounds };
    args.order.or(config.order).unwrap_or(usual)
}

/// Whether layers have to be booted one after the other.
fn apart(args: &RunArgs, machine: Machine) -> bool {
    machine == Machine::Sim || counting(args, machine) != Counting::Off
}

/// What is counted by QEMU. An explanation takes it only on the simulated machine: on a real one it would slow down
/// one layer of several.
pub fn counting(args: &RunArgs, machine: Machine) -> Counting {
    match args {
        RunArgs { model: true, .. } => Counting::Model,
        RunArgs { explain: true, .. } if machine == Machine::Sim => Counting::Model,
        RunArgs { count: true, .. } => Counting::Counts,
        _ => Counting::Off,
    }
}

/// Small enough to be typed again.
fn seed_from_clock() -> u64 {
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) % 1_000_000
}
