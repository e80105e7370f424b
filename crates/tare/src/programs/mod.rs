//! The programs of a campaign: what was asked for, as rows and as what the probe is told to run.

mod at_loads;
mod costs;
mod for_prediction;
pub mod known;
mod metrics;
mod names;
mod present;
mod root;
mod service;
mod units;

pub use at_loads::{at_loads, check_search};
pub use costs::possible as possible_costs;
pub use for_prediction::for_prediction;
pub use present::{as_they_are, present, say_as_they_are};
pub use root::{recipe, rooted, takes_image};

use crate::cli::{ProgramArgs, RunArgs};
use crate::policy::Policy;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::time::Duration;
use tare_board::{COST, SERVICE};
use tare_layers::{Settings, suggestion};
use tare_proto::{Around, BenchInfo, Machine, Program, Unit, at_load, harmless, name_and_load};
use tare_run::{Rehearsal, check_program, simulated};
use tare_store::{PlannedProgram, ProgramRow, ProgramValue, Scratch};

const SUITE: &str = "program";

/// What programs need of a layer.
pub const NEEDS: &str = "root";

/// How the runs of a boot become one value.
const ESTIMATOR: &str = "median";

/// The version of what a program's row is. Since 2 gVisor takes turns with the others, and all that can have the same CPUs.
const DEFINITION: u32 = 2;

/// Measured runs and thrown-away ones when nothing is said and no time budget decides.
const REPEAT: u32 = 3;
const WARMUP: u32 = 1;

/// Time for one run when nothing is said, and how many times as long as on the baseline it may take elsewhere.
const TIMEOUT: Duration = Duration::from_secs(60);
const SLOWER: f64 = 50.0;

/// Most characters of a command in the sentence that describes its row.
const DESCRIBED: usize = 100;

/// What a program finds in a root of its own.
const OWN_ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("HOME", "/root"),
    ("LANG", "C.UTF-8"),
];

/// Variables of this environment that a program sees.
const ENVIRONMENT: &[&str] = &["PATH", "HOME", "USER", "LANG", "LC_ALL"];

/// A row, and where its value comes from.
type Row = (BenchInfo, ProgramValue);

#[derive(Clone)]
pub struct WantedProgram {
    /// What runs, and its rows as far as they are known.
    pub planned: PlannedProgram,
    pub benches: Vec<BenchInfo>,
    /// The importer whose figures are its rows, once they are known.
    pub parse: Option<String>,
    /// The root that it asks for, and what is run in it when it is made.
    root: Option<String>,
    root_run: Vec<String>,
    /// How much it may write over its root, in MiB; 0 when nothing was said.
    overlay_mib: u64,
    /// The folder on a disk to which it writes; memory without one.
    written_to: Option<String>,
    /// For how long a run asks a service at a rate.
    asks_for: Option<Duration>,
    /// Whether its time limit is the reader's.
    timed: bool,
}

/// Whether `bench` is a row that a program fills, not a benchmark of the probe's or the host's.
pub fn is_program(bench: &BenchInfo) -> bool {
    let suite = bench.suite.as_str();
    [SUITE, SERVICE, COST].contains(&suite) || known::SUITES.contains(&suite)
}

/// The programs that were `given`, and those of the suite that are among what was `selected`.
pub fn wanted(given: &[&ProgramArgs], selected: &[BenchInfo]) -> Result<Vec<WantedProgram>> {
    let rows: Vec<&BenchInfo> =
        selected.iter().filter(|bench| known::SUITES.contains(&bench.suite.as_str())).collect();
    let names: Vec<String> = rows.iter().map(|bench| bench.name.clone()).collect();
    let known =
        rows.iter().filter_map(|row| Some((row.suite.as_str(), known::asked(&row.name, &names)?)));
    let given = given.iter().map(|asked| (SUITE, (*asked).clone()));
    let mut programs: Vec<(&str, ProgramArgs)> = Vec::new();
    for (suite, asked) in given.chain(known) {
        let clients = match asked.service {
            Some(_) => service::clients(&asked)?,
            None => vec![asked],
        };
        programs.extend(clients.into_iter().map(|one| (suite, one)));
    }
    let mut all: Vec<WantedProgram> = Vec::new();
    for (suite, asked) in &programs {
        let one = read(asked, suite)?;
        if all.iter().any(|other| other.benches[0].name == one.benches[0].name) {
            bail!("two programs are called {}; give one of them another name", one.benches[0].name);
        }
        all.push(one);
    }
    Ok(all)
}

/// The command that layers hold when they are saved: a program without a row.
pub fn state(flags: &RunArgs) -> Result<Option<WantedProgram>> {
    let Some(text) = &flags.state else { return Ok(None) };
    let ProgramArgs { root, root_run, .. } = flags.program.clone();
    let command = shell::command(text);
    let mut state =
        read(&ProgramArgs { command, root, root_run, ..ProgramArgs::default() }, SUITE)?;
    state.benches.clear();
    state.planned.rows.clear();
    Ok(Some(state))
}

fn read(asked: &ProgramArgs, suite: &str) -> Result<WantedProgram> {
    if asked.command.is_empty() {
        bail!("a [[program]] needs a command: command = [\"./bench\", \"--n\", \"1000\"]");
    }
    let name = match &asked.name {
        Some(name) => names::checked(name)?,
        None => names::name_of_command(&asked.command),
    };
    let base = BenchInfo {
        name: format!("{suite}/{name}"),
        about: format!(
            "one run of {}",
            harmless(&shell::join(asked.command.iter().map(OsString::from)), DESCRIBED)
        ),
        unit: Unit::Nanoseconds,
        suite: suite.into(),
        estimator: ESTIMATOR.into(),
        samples: asked.repeat.unwrap_or(REPEAT),
        needs: if service::is_outside(asked) { service::needs_outside() } else { NEEDS.into() },
        load: asked.load_counts.clone().unwrap_or_default(),
        loads: asked.loads.clone(),
        series_ms: TIMEOUT.as_millis() as u64,
        definition: DEFINITION,
        ..BenchInfo::default()
    };
    let mut rows = match asked.metric.is_empty() {
        _ if asked.service.is_some() => service::rows(asked, &base)?,
        true => vec![(base.clone(), ProgramValue::Time)],
        false => metrics::rows(asked, &base)?,
    };
    if asked.slo.is_none() {
        rows.extend(costs::rows(&asked.costs, &base, asked.warmup.unwrap_or(WARMUP))?);
    }
    let planned = PlannedProgram {
        program: program(asked)?,
        ok: asked.ok.clone(),
        rows: rows.iter().map(planned_row).collect(),
        slo: asked.slo.clone(),
        runs_given: asked.repeat.is_some(),
    };
    check_program(&planned)?;
    if let Some(format) = asked.parse.as_deref().filter(|name| tare_import::find(name).is_none()) {
        let names: Vec<&str> = tare_import::FORMATS.iter().map(|format| format.name).collect();
        bail!("no format '{format}'; {}", suggestion(format, &names));
    }
    let benches = rows.into_iter().map(|(bench, _)| bench).collect();
    Ok(WantedProgram {
        planned,
        benches,
        parse: asked.parse.clone(),
        root: asked.root.clone(),
        root_run: asked.root_run.clone(),
        overlay_mib: size("overlay-limit", asked.overlay_limit.as_deref())?,
        written_to: None,
        asks_for: asked.service.is_some().then(|| asked.asks_for.unwrap_or(service::ASKS_FOR)),
        timed: asked.timeout.is_some(),
    })
}

fn planned_row((bench, value): &Row) -> ProgramRow {
    ProgramRow { benchmark: bench.name.clone(), value: value.clone() }
}

fn program(asked: &ProgramArgs) -> Result<Program> {
    let here = || {
        let folder = std::env::current_dir().context("this directory")?;
        folder.into_os_string().into_string().ok().context("this directory's name is no text")
    };
    let shell = |text: &Option<String>| text.clone().unwrap_or_default();
    let (command, background) = match &asked.service {
        Some(url) => (service::command(asked, url)?, service::server(asked)),
        None => (asked.command.clone(), shell(&asked.background)),
    };
    Ok(Program {
        command,
        env: environment(&asked.env, asked.root.is_some())?,
        folder: match (&asked.cwd, &asked.root) {
            (Some(folder), _) => folder.clone(),
            (None, Some(_)) => "/".into(),
            (None, None) => here()?,
        },
        input: asked.stdin.clone(),
        around: Around {
            setup: shell(&asked.setup),
            background,
            ready: shell(&asked.ready),
            prepare: shell(&asked.prepare),
            teardown: shell(&asked.teardown),
        },
        warmup: asked.warmup.unwrap_or(WARMUP),
        limit_ms: asked.timeout.unwrap_or(TIMEOUT).as_millis() as u64,
        memory_mib: size("memory", asked.memory.as_deref())?,
        own_network: asked.service.is_some() && !service::is_outside(asked),
        outputs: asked.service.is_some()
            || !asked.metric.is_empty()
            || asked.parse.is_some()
            || asked.ok.is_some(),
    })
}

/// The size that the flag `name` gives, in MiB; 0 when nothing was said.
fn size(name: &str, text: Option<&str>) -> Result<u64> {
    let mut settings = Settings::default();
    text.map_or(Ok(()), |text| settings.set(name, text))?;
    Ok(settings.mebibytes(name, 0)?)
}

/// The whole environment: what programs of this host expect, and what was asked for.
fn environment(asked: &[String], own_root: bool) -> Result<Vec<(String, String)>> {
    let own = |key: &str| Some((key.to_owned(), std::env::var(key).ok()?));
    let fixed = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let mut all: Vec<(String, String)> = match own_root {
        true => OWN_ENVIRONMENT.iter().map(fixed).collect(),
        false => ENVIRONMENT.iter().filter_map(|key| own(key)).collect(),
    };
    for word in asked {
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key.to_owned(), value.to_owned()),
            None => own(word).with_context(|| format!("--env {word}: it is not set here"))?,
        };
        all.retain(|(other, _)| *other != key);
        all.push((key, value));
    }
    Ok(all)
}

impl WantedProgram {
    /// Takes what a rehearsal has found out: the figures that are its rows, and how long a run may take.
    pub fn rehearsed(&mut self, found: &Rehearsal) -> Result<()> {
        let base = self.benches[0].clone();
        if let Some(format) = &self.parse {
            let figures = found.figures.iter();
            let (stem, load) = name_and_load(&base.name);
            let rows = figures.map(|figure| {
                let name = format!("{stem}.{}", figure.name.replace('/', "."));
                let name = at_load(&name, load);
                let value =
                    ProgramValue::Figure { format: format.clone(), name: figure.name.to_string() };
                let bench =
                    BenchInfo { name, unit: figure.unit, better: figure.better, ..base.clone() };
                (bench, value)
            });
            let own = self.benches.iter().zip(&self.planned.rows);
            let costs = own.filter(|(_, row)| row.value.is_cost());
            let costs = costs.map(|(bench, row)| (bench.clone(), row.value.clone()));
            let mut rows: Vec<Row> = rows.chain(costs).collect();
            let mut seen = std::collections::BTreeSet::new();
            rows.retain(|(bench, _)| seen.insert(bench.name.clone()));
            self.planned.rows = rows.iter().map(planned_row).collect();
            self.benches = rows.into_iter().map(|(bench, _)| bench).collect();
        }
        let program = &mut self.planned.program;
        if !self.timed {
            program.limit_ms = program.limit_ms.max((SLOWER * found.ns / 1e6) as u64);
        }
        let runs = f64::from(base.samples + program.warmup);
        let share = runs / self.benches.len().max(1) as f64;
        let series_ms = (found.ns / 1e6 * share).ceil().max(1.0) as u64;
        self.benches.iter_mut().for_each(|bench| bench.series_ms = series_ms);
        Ok(())
    }

    /// Lets it write there, on every layer.
    pub fn write_to(&mut self, scratch: &Scratch) {
        self.written_to = scratch.folder().map(str::to_owned);
    }

    fn has_row(&self, of: &ProgramValue) -> bool {
        self.planned.rows.iter().any(|row| row.value == *of)
    }

    /// Leaves out its rows of that value.
    fn leave_out(&mut self, of: &ProgramValue) {
        self.planned.rows.retain(|row| row.value != *of);
        let rows = &self.planned.rows;
        self.benches.retain(|bench| rows.iter().any(|row| row.benchmark == bench.name));
    }

    pub fn has_root(&self) -> bool {
        self.root.is_some()
    }

    /// Makes its rows those of `machine`.
    pub fn on(&mut self, machine: Machine) {
        self.benches = simulated::benches(machine, std::mem::take(&mut self.benches));
        if let Some(estimator) = Policy::for_machine(machine).program_estimator {
            self.benches.iter_mut().for_each(|bench| bench.estimator = estimator.into());
        }
    }
}
