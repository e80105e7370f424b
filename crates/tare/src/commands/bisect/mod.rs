//! `tare bisect`: which version of a list made a row dearer, by the simulated machine's counts.
//!
//! Every version is a campaign of its own, of one layer and one row, so that what was measured is kept and is not measured twice.

mod kept;
mod search;
mod versions;

use crate::cli::{BisectArgs, INTERRUPTED, RunArgs};
use crate::commands::run;
use crate::usage::{OrUsage, is_wrong_usage};
use crate::{interrupt, output};
use anyhow::{Result, anyhow, bail};
use kept::{Kept, Place};
use search::{Found, search};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use tare_board::format::{quantity, short_ratio};
use tare_board::{Options, Row, scoreboard};
use tare_layers::Settings;
use tare_proto::{Unit, name_and_load};
use versions::versions;

/// Looks for the version.
pub fn bisect(args: &BisectArgs) -> Result<ExitCode> {
    let versions = versions(args)?;
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
        let measured = one(args, &kept, &versions[at])?;
        measured.map_err(|why| anyhow!("{} was not measured: {why}", versions[at]))
    };
    let (good, bad) = (end(0)?, end(last)?);
    let least = (1.0 + args.margin / 100.0).max(good.floor).max(bad.floor);
    let ratio = bad.mean / good.mean;
    if ratio.ln().abs() <= least.ln() {
        bail!(
            "{} and {} do not differ in {}: {} and {}, a ratio of {ratio:.4}, and {least:.4} is the least that is looked for \
             (--margin, or how far two boots are apart)",
            versions[0],
            versions[last],
            args.bench,
            quantity(good.unit, good.mean),
            quantity(bad.unit, bad.mean),
        );
    }
    let found = search(versions.len(), (good.mean, bad.mean), |at| {
        let measured = one(args, &kept, &versions[at])?;
        if interrupt::interrupted() {
            bail!("interrupted");
        }
        Ok(match measured {
            Ok(value) => Some(value.mean),
            Err(why) => {
                output::note(&format!("{} was not measured: {why}", versions[at]));
                None
            }
        })
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
                let (said, ratio) = (quantity(good.unit, *value), short_ratio(value / good.mean));
                writeln!(text, "{side:5} {name}  {said}, {ratio} times {}", versions[0])
            }
            None => writeln!(text, "{:5} {name}  not measured", "?"),
        };
    }
    let (seen, all) = (found.seen.len(), versions.len());
    let _ = writeln!(text, "{seen} of {all} versions were looked at.");
    let (last, first) = (&versions[found.good], &versions[found.bad]);
    let _ = match found.bad - found.good {
        1 => writeln!(text, "The first bad version is {first}; {last} before it is good."),
        _ => writeln!(text, "{last} is good and {first} is bad; those between cannot be measured."),
    };
    text
}

/// What a version has.
struct Value {
    mean: f64,
    /// How far the two boots of a block are apart, as a ratio.
    floor: f64,
    unit: Unit,
}

/// Measures a version, unless just that has been measured; the inner error says why there is no value.
fn one(
    args: &BisectArgs,
    kept: &Kept,
    version: &str,
) -> Result<std::result::Result<Value, String>> {
    let run = run_args(args, version)?;
    let Place { dir, measured } = kept.place(&run, version)?;
    if !measured {
        let run = RunArgs { out: Some(dir.clone()), ..run };
        // A version that cannot run is passed over; what was asked for wrongly is wrong for all of them.
        match run::quietly(&run) {
            Err(error) if !is_wrong_usage(&error) => return Ok(Err(format!("{error:#}"))),
            ran => ran?,
        }
        if interrupt::interrupted() {
            return Ok(Err("it was interrupted".into()));
        }
    }
    value(&dir, &args.bench)
}

fn value(out: &Path, bench: &str) -> Result<std::result::Result<Value, String>> {
    let campaign = tare_store::load(out)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let Some(row) = board.rows.iter().find(|row| row.benchmark == bench) else {
        bail!("{} has no row {bench}", out.display());
    };
    let Some(mean) = row.baseline else { return Ok(Err(why(&board, row))) };
    let floor = row.floor.map_or(1.0, |floor| floor.ratio.value.ln().abs().exp());
    Ok(Ok(Value { mean: mean.mean, floor, unit: row.unit }))
}

/// Why the only layer has no value.
fn why(board: &tare_board::Scoreboard, row: &Row) -> String {
    let failed = board.failed_boots.first().map(|boot| boot.why.clone());
    failed.unwrap_or_else(|| format!("{} has no value", row.benchmark))
}

/// The campaign of one version.
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
