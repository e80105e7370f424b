//! `tare bisect`: which version of a list made a row dearer, by the simulated machine's counts.
//!
//! Every version is a campaign of its own, of one layer and one row, so that what was measured is kept and is not measured twice.

mod candidates;
mod kept;
mod search;

use crate::cli::{BisectArgs, INTERRUPTED, RunArgs};
use crate::commands::run;
use crate::usage::{OrUsage, is_wrong_usage};
use crate::{interrupt, output};
use anyhow::{Error, Result, anyhow, bail};
use candidates::candidates;
use kept::{Kept, Place};
use search::{Found, search};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use tare_board::format::{quantity, short_ratio};
use tare_board::{Options, Row, scoreboard};
use tare_layers::Settings;
use tare_proto::{Unit, name_and_load};

pub fn bisect(args: &BisectArgs) -> Result<ExitCode> {
    let versions = candidates(args)?;
    interrupt::listen()?;
    match look(args, &versions) {
        Err(_) if interrupt::interrupted() => Ok(INTERRUPTED.into()),
        Err(error) => Err(error),
        Ok(text) => output::print(&text).map(|()| ExitCode::SUCCESS),
    }
}

/// Measures versions until it is known; what there is to say.
fn look(args: &BisectArgs, versions: &[String]) -> Result<String> {
    let last = versions.len() - 1;
    let kept = Kept::below(&args.out)?;
    let end = |at: usize| {
        measure(args, &kept, &versions[at]).map_err(|no| match no {
            NoValue::OfThisVersion(why) => anyhow!("{} was not measured: {why}", versions[at]),
            NoValue::OfAny(error) => error,
        })
    };
    let good = end(0)?;
    let bad = end(last)?;
    let least = (1.0 + args.margin / 100.0).max(good.floor).max(bad.floor);
    let ratio = bad.mean / good.mean;
    if ratio.ln().abs() <= least.ln() {
        bail!(
            "{} and {} do not differ in {}: {} and {}, a ratio of {ratio:.4}; the smallest that is searched for is {least:.4} \
             (--margin, or the difference of two boots)",
            versions[0],
            versions[last],
            args.bench,
            quantity(good.unit, good.mean),
            quantity(bad.unit, bad.mean),
        );
    }
    let found = search(versions.len(), (good.mean, bad.mean), |at| {
        let measured = measure(args, &kept, &versions[at]);
        if interrupt::interrupted() {
            bail!("interrupted");
        }
        match measured {
            Ok(value) => Ok(Some(value.mean)),
            Err(NoValue::OfThisVersion(why)) => {
                output::note(&format!("{} was not measured: {why}", versions[at]));
                Ok(None)
            }
            Err(NoValue::OfAny(error)) => Err(error),
        }
    })?;
    Ok(said(versions, &found, &good))
}

/// What was measured, version by version, and what follows.
fn said(versions: &[String], found: &Found, good: &Value) -> String {
    let mut text = String::new();
    for (at, value) in &found.seen {
        let side = if *at <= found.good { "good" } else { "bad" };
        let name = &versions[*at];
        let _ = match value {
            Some(value) => {
                let said = quantity(good.unit, *value);
                let ratio = short_ratio(value / good.mean);
                writeln!(text, "{side:5} {name}  {said}, {ratio} times {}", versions[0])
            }
            None => writeln!(text, "{:5} {name}  not measured", "?"),
        };
    }
    let seen = found.seen.len();
    let all = versions.len();
    let _ = writeln!(text, "{seen} of {all} versions were looked at.");
    let last = &versions[found.good];
    let first = &versions[found.bad];
    let _ = match found.bad - found.good {
        1 => writeln!(text, "The first bad version is {first}; {last} before it is good."),
        _ => writeln!(text, "{last} is good and {first} is bad; those between cannot be measured."),
    };
    text
}

struct Value {
    mean: f64,
    /// How far the two boots of a block are apart, as a ratio.
    floor: f64,
    unit: Unit,
}

enum NoValue {
    /// This version cannot run or be measured, and is passed over.
    OfThisVersion(String),
    /// What was asked for is wrong for all versions, or a campaign cannot be read.
    OfAny(Error),
}

impl From<Error> for NoValue {
    fn from(error: Error) -> NoValue {
        NoValue::OfAny(error)
    }
}

/// Measures a version, unless just that has been measured.
fn measure(args: &BisectArgs, kept: &Kept, version: &str) -> std::result::Result<Value, NoValue> {
    let run = run_args(args, version)?;
    let Place { dir, measured } = kept.place(&run, version)?;
    if !measured {
        let run = RunArgs { out: Some(dir.clone()), ..run };
        run::quietly(&run).map_err(|error| match is_wrong_usage(&error) {
            true => NoValue::OfAny(error),
            false => NoValue::OfThisVersion(format!("{error:#}")),
        })?;
        if interrupt::interrupted() {
            return Err(NoValue::OfThisVersion("it was interrupted".into()));
        }
    }
    value(&dir, &args.bench)
}

fn value(out: &Path, bench: &str) -> std::result::Result<Value, NoValue> {
    let campaign = tare_store::load(out).map_err(Error::new)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let Some(row) = board.rows.iter().find(|row| row.benchmark == bench) else {
        return Err(anyhow!("{} has no row {bench}", out.display()).into());
    };
    let mean = row.baseline.ok_or_else(|| NoValue::OfThisVersion(why(&board, row)))?;
    let floor = row.floor.map_or(1.0, |floor| floor.ratio.value.ln().abs().exp());
    Ok(Value { mean: mean.mean, floor, unit: row.unit })
}

/// Why the only layer has no value.
fn why(board: &tare_board::Scoreboard, row: &Row) -> String {
    let failed = board.failed_boots.first().map(|boot| boot.why.raw().to_owned());
    failed.unwrap_or_else(|| format!("{} has no value", row.benchmark.raw()))
}

fn run_args(args: &BisectArgs, version: &str) -> Result<RunArgs> {
    let mut layer = Settings::parse(&args.layer).or_usage()?;
    layer.replace(&args.knob, version);
    let (bench, load) = name_and_load(&args.bench);
    let load = match args.bench.contains('@') {
        true => vec![load.to_string().parse().map_err(|why: String| anyhow!(why))?],
        false => Vec::new(),
    };
    Ok(RunArgs {
        machine: Some(args.machine),
        layer: vec![layer.to_string()],
        bench: vec![bench.to_owned()],
        load,
        blocks: Some(args.blocks),
        seed: Some(args.seed),
        boot_limit: args.boot_limit,
        ..RunArgs::plain()
    })
}
