//! `tare predict`: what a program would take on the layers of a campaign, from one native run and what operations cost there.

mod running;

use super::run::with_root;
use crate::cli::PredictArgs;
use crate::config::{Asked, flags};
use crate::pin::Pin;
use crate::policy::{Policy, REAL};
use crate::programs::{self, WantedProgram};
use crate::shell::quote;
use crate::usage::{OrUsage, wrong_usage};
use crate::{host, input, interrupt, output};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tare_board::{
    Options, PRICES, Profile, Scoreboard, has_prices, held, predict as predict_on_layers,
    scoreboard,
};
use tare_layers::{Settings, configure};
use tare_proto::{Machine, Series};
use tare_report::{held_text, json_text, prediction_text};
use tare_run::{Search, SearchError};
use tare_stats::median;
use tare_store::Campaign;

/// Timed runs before the one that is counted.
const RUNS: u32 = 3;

/// The layer that a program is counted on: this host without any.
const HERE: &str = "native";

/// Predicts the program that was asked for, or those of the campaign from each other.
pub fn predict(args: &PredictArgs) -> Result<ExitCode> {
    // clap asks for neither where there is a command, which conflicts with them.
    if args.trace.is_none() && (args.took.is_some() || args.user.is_some()) {
        wrong_usage!("--took and --user describe a trace; name one with --trace");
    }
    if args.pid.is_none() && args.time.is_some() {
        wrong_usage!("--for says how long a running process is watched; name one with --pid");
    }
    let campaign = tare_store::load(&args.from)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    check(&campaign, &board, args)?;
    let profile = match (&args.trace, args.pid) {
        (Some(file), _) => traced(file, args, &board)?,
        (None, Some(pid)) => running::profile(pid, args.time)?,
        (None, None) if args.command.command.is_empty() && args.program.is_none() => {
            return every(&campaign, &board, args);
        }
        (None, None) => {
            profile(programs::for_prediction(&args.command, args.program.as_deref()).or_usage()?)?
        }
    };
    let prediction = predict_on_layers(&campaign, &board, &profile);
    let from = quote(&args.from.display().to_string()).into_owned();
    let layers = flags(campaign.plan.machine, &campaign.layers);
    let text = if args.json {
        json_text(&prediction)
    } else {
        prediction_text(&prediction, &from, &layers)
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the campaign can say what operations cost.
fn check(campaign: &Campaign, board: &Scoreboard, args: &PredictArgs) -> Result<()> {
    let dir = args.from.display();
    let asks = args.trace.is_some() || args.pid.is_some() || args.program.is_some();
    if !Policy::for_machine(campaign.plan.machine).clock_is_time
        && (asks || !args.command.command.is_empty())
    {
        bail!(
            "{dir} is of the simulated machine, which counts instructions: it cannot predict the time of a program on this \
             host. Without a command, tare predict predicts the campaign's own programs from each other"
        );
    }
    let native = campaign.layers.iter().any(|row| row.name == board.baseline && row.kind == HERE);
    if !native {
        bail!(
            "the baseline of {dir} is {}, and programs are counted natively: measure with --baseline native",
            board.baseline.raw()
        );
    }
    if !has_prices(board) {
        bail!(
            "{dir} does not say what operations cost on its layers. This measures it, as root:\n  tare run --suite {PRICES} {}",
            flags(campaign.plan.machine, &campaign.layers)
        );
    }
    Ok(())
}

/// Every program that the campaign holds, predicted without its own measurement.
fn every(campaign: &Campaign, board: &Scoreboard, args: &PredictArgs) -> Result<ExitCode> {
    let all = held(campaign, board);
    if all.is_empty() {
        wrong_usage!(
            "name a command to predict, after --. {} holds no programs whose operations were counted (tare run --suite \
             {PRICES} --suite programs --explain)",
            args.from.display()
        );
    }
    output::print(&if args.json { json_text(&all) } else { held_text(&all) })?;
    Ok(ExitCode::SUCCESS)
}

/// Most bytes of a trace.
const LONGEST: u64 = 1 << 30;

fn traced(file: &Path, args: &PredictArgs, board: &Scoreboard) -> Result<Profile> {
    let text = input::text(file, LONGEST)?;
    let trace = tare_import::trace(&text).with_context(|| file.display().to_string())?;
    let ns = |time: Duration| time.as_secs_f64() * 1e9;
    let took =
        args.took.map(ns).context("how long does it take without the tracer? --took TIME")?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let profile = Profile::of(&name, took, &trace.counters());
    let profile = profile.with_context(|| format!("{} holds no operations", file.display()))?;
    Ok(profile.traced(board, args.user.map(ns), trace.lacks))
}

/// Runs the program natively and counts what it does.
fn profile(wanted: WantedProgram) -> Result<Profile> {
    if let Some(why) = wanted.unpredictable() {
        wrong_usage!("{} cannot be predicted: {why}", wanted.benches[0].name);
    }
    let host = host::host()?;
    let keeper = host::keeper()?;
    let cpus = Pin::Auto.cpus(&REAL, 1).or_usage()?;
    interrupt::listen()?;
    host::remove_leftovers(&host);
    let settings = Settings::parse(&format!("{HERE},root=host"))?;
    let (kind, settings, layer) = configure(Machine::Real, &settings)?;
    let asked = Asked { name: HERE.into(), kind: kind.name, settings, layer, named: true };
    let programs = [wanted];
    let (asked, _root) =
        with_root(vec![asked], Machine::Real, &programs, &host, &keeper, |_| true)?;
    programs::say_as_they_are(&programs, &asked);
    let native = asked.first().context("a layer")?;
    if let Err(no) = native.layer.check(&host) {
        bail!("programs cannot be counted here: {}; {}", no.why, no.remedy);
    }
    let search = Search {
        name: HERE,
        layer: &*native.layer,
        host: &host,
        keeper: &keeper,
        machine: Machine::Real,
        cpus: &cpus,
        batch_ns: 0,
        boot: REAL.boot_limit,
        interrupted: interrupt::interrupted,
    };
    let row = &programs[0].benches[0].name;
    let series: Series = match search.profile(&programs[0].planned, RUNS) {
        Ok(series) => series,
        Err(SearchError::Refused(why)) => bail!(
            "{row} cannot be counted, so nothing is predicted: {why} (the command runs without a terminal and, unless \
             --stdin names a file, with an empty standard input)"
        ),
        Err(why) => bail!("{row} cannot be run on {HERE}: {why}"),
    };
    let native_ns = median(&series.samples)?;
    let profile = Profile::of(row, native_ns, &series.counters)
        .with_context(|| format!("the operations of {row} were not counted"))?;
    Ok(Profile { figures: programs[0].figures(), ..profile })
}
