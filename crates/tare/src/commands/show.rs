//! `tare show`: prints a campaign's scoreboard.

use super::{gate, merged_result, style};
use crate::cli::{self, FormatArgs, GateArgs, ShowArgs};
use crate::usage::wrong_usage;
use crate::{newest, output};
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use tare_board::{Options, fleet_limits, limits, scoreboard};
use tare_store::{Campaign, load};

/// Prints the scoreboard of the campaign in `args.dir`, or of the newest one here.
pub fn show(args: &ShowArgs) -> Result<ExitCode> {
    let dir = newest::campaign(args.dir.as_deref())?;
    if merged_result::is_in(&dir) {
        return show_merged(args, &dir);
    }
    let campaign = load(&dir)?;
    gate::check(&args.gate, &gate::units(&campaign.benchmarks))?;
    gate::check_layers(&args.gate, campaign.layers.iter().map(|layer| layer.name.raw()))?;
    print(&dir, &args.format)?;
    Ok(if passes(&campaign, &args.format, &args.gate)? {
        ExitCode::SUCCESS
    } else {
        cli::GATE.into()
    })
}

fn show_merged(args: &ShowArgs, dir: &Path) -> Result<ExitCode> {
    if args.format.estimator.is_some() {
        wrong_usage!("a merged result holds ratios, not samples: give --estimator to tare merge");
    }
    let merged = merged_result::load(dir)?;
    gate::check(&args.gate, &gate::units(&merged.benchmarks))?;
    merged_result::print(&merged, &args.format)?;
    let GateArgs { fail_if, fail_undecided } = &args.gate;
    if fail_if.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::from_plan(&merged.plan);
    let judged =
        fleet_limits(&merged_result::fleet_of(&merged), &options, fail_if, *fail_undecided);
    let passed = gate::passes(&judged, false)?;
    Ok(if passed { ExitCode::SUCCESS } else { cli::GATE.into() })
}

/// Whether `campaign` passes the gate; says what came of it.
pub fn passes(campaign: &Campaign, format: &FormatArgs, args: &GateArgs) -> Result<bool> {
    if args.fail_if.is_empty() {
        return Ok(true);
    }
    let mut options = Options::from_plan(&campaign.plan);
    options.estimator = format.estimator.or(options.estimator);
    gate::passes(&limits(campaign, &options, &args.fail_if, args.fail_undecided), false)
}

/// Prints the scoreboard of the campaign in `dir` as `format` says.
pub fn print(dir: &Path, format: &FormatArgs) -> Result<()> {
    let campaign = load(dir)?;
    let mut options = Options::from_plan(&campaign.plan);
    options.estimator = format.estimator.or(options.estimator);
    let board = scoreboard(&campaign, &options);
    output::print(&(format.format.board)(&board, &style::on_terminal(format)))
}
