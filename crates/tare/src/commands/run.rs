//! `tare run`: plans a campaign, tries its layers, runs it, prints its scoreboard.

use crate::carried::PROBE;
use crate::catalog::Catalog;
use crate::cli::{self, RunArgs};
use crate::commands::{explain, report, show};
use crate::config::{Asked, Config};
use crate::loads::{LoadArg, expand};
use crate::progress::Progress;
use crate::{host, interrupt, output};
use anyhow::{Context, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tare_layers::{Host, Keeper, suggestion};
use tare_proto::{BenchInfo, MAX_SAMPLES, Machine};
use tare_run::{Ending, Event, History, Observer, OwnCost, Runner, Weighed, simulated};
use tare_store::{Counting, LayerRow, Plan, Store, StoredArtifact};

/// Time that a campaign may take when nothing is said.
const BUDGET: Duration = Duration::from_secs(300);

/// Shortest timed batch: 50,000 times the resolution of the clocks seen so far, and short enough for
/// a series to fit between two interruptions more often than not.
const BATCH_NS: u64 = 1_000_000;

/// Time that a layer may take from its start to its greeting.
pub const BOOT: Duration = Duration::from_secs(30);

/// Runs a whole new campaign.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    let config = Config::read(args.config.as_deref())?;
    let machine = args.machine.or(config.machine).unwrap_or_default();
    check_machine(machine, args, &config)?;
    let (mut host, keeper) = (host::counting_host(counting(args, machine))?, host::keeper()?);
    host.destroy_disks = args.destroy_disk_contents;
    let benches = select(&Catalog::load(&host.probe)?, args, &config)?;
    let benches = timed(estimated(benches, args.format.estimator), args.series.or(config.series));
    let benches = simulated::benches(machine, benches);
    if benches.is_empty() {
        bail!("the {machine} machine has none of these benchmarks");
    }
    let loads = loads(args, &config)?;
    let asked = config.layers(args, machine, &benches)?;
    let baseline = baseline(args.baseline.as_deref().or(config.baseline.as_deref()), &asked)?;
    let out = args.out.clone().unwrap_or_else(fresh_directory);
    tare_run::check_space(&out)
        .with_context(|| format!("no room for a campaign in {}", out.display()))?;
    check_writable(&out)?;
    interrupt::listen()?;

    let begin = Instant::now();
    let mut progress = Progress::new();
    let tried = try_all(asked, &host, &keeper, boot_limit(args, machine), &mut progress);
    if interrupt::interrupted() {
        return Ok(cli::INTERRUPTED.into());
    }
    let base = tried.iter().find(|tried| tried.row.name == baseline);
    if let Some((why, remedy)) = base.and_then(|base| base.row.unavailable.as_ref()) {
        bail!("the baseline {baseline} cannot run here: {why}; {remedy}");
    }
    let vcpus = tried.iter().map(|tried| tried.vcpus).max().unwrap_or(1);
    let benches = expand(benches, &loads, vcpus)?;
    let mut plan = plan(machine, args, &config, baseline, &tried, &benches)?;
    let spent = begin.elapsed().as_secs_f64();
    plan.budget_s = plan.budget_s.map(|budget| (budget - spent).max(1.0));
    let rows: Vec<LayerRow> = tried.iter().map(|tried| tried.row.clone()).collect();
    let mut store = Store::create(&out, &plan, &rows, &benches)?;
    for row in &rows {
        row.artifacts.iter().try_for_each(|file| store.add_artifact(&row.name, file))?;
    }
    let lacking =
        args.require && tried.iter().any(|tried| tried.named && tried.row.unavailable.is_some());
    let layers = tried.into_iter().map(|tried| tried.weighed).collect();
    let campaign = Prepared { store, plan, layers, benches, history: History::default() };
    let code = campaign.run(&host, &keeper, &mut progress, &out, &args.format)?;
    if args.explain {
        explain::every(&out)?;
    }
    let done = code == ExitCode::SUCCESS;
    if done && !show::passes(&out, &args.format, &args.fail_if)? {
        return Ok(cli::GATE.into());
    }
    Ok(if lacking { cli::LAYER_MISSING.into() } else { code })
}

/// A campaign that is ready to run or to go on.
pub struct Prepared {
    pub store: Store,
    pub plan: Plan,
    pub layers: Vec<Weighed>,
    pub benches: Vec<BenchInfo>,
    pub history: History,
}

impl Prepared {
    /// Runs it to its end, prints the scoreboard and says where everything is.
    pub fn run(
        self,
        host: &Host,
        keeper: &Keeper,
        progress: &mut Progress,
        out: &Path,
        format: &cli::FormatArgs,
    ) -> Result<ExitCode> {
        let Prepared { mut store, plan, layers, benches, history } = self;
        tare_run::stay_off(&plan.cpus);
        if plan.machine == Machine::Real {
            crate::environment::record(&mut store, &plan.cpus)?;
        }
        let interrupted = interrupt::interrupted;
        let observer: &mut dyn Observer = progress;
        let own = OwnCost::default();
        let runner = Runner {
            store,
            plan,
            layers,
            benches,
            host,
            keeper,
            observer,
            interrupted,
            history,
            own,
        };
        let ended = runner.run();
        progress.finish();
        show::print(out, format)?;
        report::leave_in(out);
        let (ending, own) = ended.with_context(|| {
            format!("the campaign stopped; what it measured is in {}", out.display())
        })?;
        let dir = out.display();
        Ok(match ending {
            Ending::Finished => {
                output::note(&format!(
                    "Kept in {dir}; 'tare show {dir}' prints it again. While measuring, tare itself \
                     used {:.2}% of a CPU.",
                    own.percent()
                ));
                ExitCode::SUCCESS
            }
            Ending::Interrupted => {
                output::note(&format!("Interrupted; 'tare resume {dir}' goes on."));
                cli::INTERRUPTED.into()
            }
        })
    }
}

/// A layer after its first boot.
struct Tried {
    row: LayerRow,
    weighed: Weighed,
    vcpus: usize,
    named: bool,
}

fn select(catalog: &Catalog, args: &RunArgs, config: &Config) -> Result<Vec<BenchInfo>> {
    let either = |flag: &[String], file: &[String]| {
        if flag.is_empty() { file.to_vec() } else { flag.to_vec() }
    };
    catalog.select(&either(&args.suite, &config.suite), &either(&args.bench, &config.bench))
}

/// An estimator that is asked for takes the place of the suite's, in what is measured too.
fn estimated(
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

/// The loads that were asked for: the flags', or else the file's.
fn loads(args: &RunArgs, config: &Config) -> Result<Vec<LoadArg>> {
    if !args.load.is_empty() {
        return Ok(args.load.clone());
    }
    let load =
        |text: &String| text.parse().map_err(|why| anyhow!("tare.toml, load = {text}: {why}"));
    config.load.iter().map(load).collect()
}

fn baseline(wanted: Option<&str>, layers: &[Asked]) -> Result<String> {
    let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
    match wanted {
        Some(name) if names.contains(&name) => Ok(name.to_owned()),
        Some(name) => bail!("no layer '{name}' to be the baseline; {}", suggestion(name, &names)),
        None if names.contains(&"native") => Ok("native".into()),
        None => Ok(names[0].to_owned()),
    }
}

fn fresh_directory() -> PathBuf {
    PathBuf::from(format!(
        "tare-{}",
        tare_run::now().replace([':', 'T'], "-").trim_end_matches('Z')
    ))
}

/// An unwritable place is known before anything is measured.
fn check_writable(out: &Path) -> Result<()> {
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let mark = out.join(".tare-writable");
    let written = std::fs::write(&mark, b"").and_then(|()| std::fs::remove_file(&mark));
    written.with_context(|| {
        format!("cannot write in {}; name another place with --out", out.display())
    })
}

fn try_all(
    asked: Vec<Asked>,
    host: &Host,
    keeper: &Keeper,
    within: Duration,
    progress: &mut Progress,
) -> Vec<Tried> {
    let mut tried = Vec::new();
    for Asked { name, kind, settings, layer, named } in asked {
        progress.event(Event::Trying { layer: &name });
        let trial = tare_run::trial(&*layer, host, keeper, within, interrupt::interrupted);
        if interrupt::interrupted() {
            break;
        }
        let vcpus = settings.number("vcpus", 1, 1, 1024).unwrap_or(1) as usize;
        let (trial_s, artifacts, unavailable) = match trial {
            Ok(trial) => (Some(trial.whole.as_secs_f64()), trial.artifacts, None),
            Err(no) => {
                progress.event(Event::Unavailable {
                    layer: &name,
                    why: &no.why,
                    remedy: &no.remedy,
                });
                (None, Vec::<StoredArtifact>::new(), Some((no.why, no.remedy)))
            }
        };
        let (kind, settings) = (kind.to_owned(), settings.to_string());
        let row = LayerRow { name: name.clone(), kind, settings, unavailable, artifacts };
        tried.push(Tried { row, weighed: Weighed { name, layer, trial_s }, vcpus, named });
    }
    tried
}

/// What cannot be said of a simulated machine.
fn check_machine(machine: Machine, args: &RunArgs, config: &Config) -> Result<()> {
    if machine == Machine::Sim && (args.budget.is_some() || config.budget.is_some()) {
        bail!(
            "a budget is time of this host, which must not decide what --machine sim measures; give --blocks"
        );
    }
    Ok(())
}

/// Time that a layer may take to greet.
fn boot_limit(args: &RunArgs, machine: Machine) -> Duration {
    let usual = if machine == Machine::Sim { simulated::BOOT } else { BOOT };
    args.boot_limit.unwrap_or(usual)
}

fn plan(
    machine: Machine,
    args: &RunArgs,
    config: &Config,
    baseline: String,
    tried: &[Tried],
    benches: &[BenchInfo],
) -> Result<Plan> {
    let is_sim = machine == Machine::Sim;
    let blocks = args.blocks.or(if args.budget.is_some() { None } else { config.blocks });
    let blocks = blocks.or(is_sim.then_some(simulated::BLOCKS));
    let budget = args.budget.or(config.budget).unwrap_or(BUDGET).as_secs_f64();
    let budget_s = blocks.is_none().then_some(budget);
    let starts: f64 = tried.iter().filter_map(|tried| tried.weighed.trial_s).sum();
    let boots = 1 + tried.iter().filter(|tried| tried.weighed.trial_s.is_some()).count();
    let vcpus = tried.iter().map(|tried| tried.vcpus).max().unwrap_or(1);
    let series_ms = || tare_run::series_ms(budget_s, starts, boots, benches);
    // Which CPU translates a simulated one is of no account.
    let pin = if is_sim && args.pin == "auto" { "none" } else { &args.pin };
    Ok(Plan {
        machine,
        seed: args.seed.or(config.seed).unwrap_or_else(seed_from_clock),
        baseline,
        budget_s,
        blocks,
        width: args.width / 100.0,
        cpus: cpus(pin, vcpus)?,
        batch_ns: if is_sim { simulated::BATCH } else { BATCH_NS },
        series_ms: if is_sim { simulated::SERIES_MS } else { series_ms() },
        counting: counting(args, machine),
        // A simulated CPU has no counters of its own: the plugin counts.
        events: args.explain && !is_sim,
        boot_s: boot_limit(args, machine).as_secs_f64(),
        margin: args.margin / 100.0,
        created: tare_run::now(),
        tare_version: env!("CARGO_PKG_VERSION").into(),
        probe_sha256: PROBE.sha256(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
    })
}

/// What is counted by QEMU. An explanation takes it only on the simulated machine: on a real one it would slow down
/// one layer of several.
fn counting(args: &RunArgs, machine: Machine) -> Counting {
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

fn cpus(pin: &str, vcpus: usize) -> Result<Vec<u32>> {
    let allowed = tare_run::allowed_cpus();
    match pin {
        "none" => Ok(Vec::new()),
        "auto" => Ok(tare_run::pick_cpus(&allowed, vcpus)),
        list => {
            let cpus: Result<Vec<u32>, _> = list.split(',').map(str::parse).collect();
            let cpus =
                cpus.with_context(|| format!("--pin {list}: auto, none, or CPUs such as 2,3"))?;
            match cpus.iter().find(|cpu| !allowed.contains(cpu)) {
                Some(cpu) => {
                    bail!("--pin {list}: CPU {cpu} is not one that tare may use ({allowed:?})")
                }
                None => Ok(cpus),
            }
        }
    }
}
