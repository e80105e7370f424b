//! `tare show`: prints a campaign's scoreboard.

use crate::cli::{self, Format, FormatArgs, ShowArgs};
use crate::output;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use tare_board::{Condition, Options, limits, scoreboard};
use tare_report::{TextStyle, csv, json, markdown, text};
use tare_store::load;

/// Prints the scoreboard of the campaign in `args.dir`.
pub fn show(args: &ShowArgs) -> Result<ExitCode> {
    print(&args.dir, &args.format)?;
    Ok(if passes(&args.dir, &args.format, &args.fail_if)? {
        ExitCode::SUCCESS
    } else {
        cli::GATE.into()
    })
}

/// Whether the campaign in `dir` meets none of `conditions`; says which it meets.
pub fn passes(dir: &Path, format: &FormatArgs, conditions: &[Condition]) -> Result<bool> {
    if conditions.is_empty() {
        return Ok(true);
    }
    let campaign = load(dir)?;
    let mut options = Options::from_plan(&campaign.plan);
    options.estimator = format.estimator.or(options.estimator);
    let gate = limits(&campaign, &options, conditions);
    if gate.tested == 0 {
        bail!("no layer has a row with two blocks, so --fail-if has nothing to test");
    }
    for judged in gate.conditions.iter().filter(|judged| !judged.failing.is_empty()) {
        let rows = judged.failing.iter().take(5);
        let worst: Vec<String> = rows
            .map(|row| format!("{} on {} ({:.4})", row.benchmark, row.layer, row.cost))
            .collect();
        output::note(&format!(
            "--fail-if '{}': {} of {} rows: {}",
            judged.condition,
            judged.failing.len(),
            gate.tested,
            worst.join(", ")
        ));
    }
    Ok(gate.passed)
}

/// Prints the scoreboard of the campaign in `dir` as `format` says.
pub fn print(dir: &Path, format: &FormatArgs) -> Result<()> {
    let campaign = load(dir)?;
    let mut options = Options::from_plan(&campaign.plan);
    options.estimator = format.estimator.or(options.estimator);
    let board = scoreboard(&campaign, &options);
    output::print(&match format.format {
        Format::Text => {
            let style = TextStyle {
                width: output::width(),
                paint: output::paint(),
                details: !format.short,
            };
            text(&board, &style)
        }
        Format::Json => json(&board),
        Format::Csv => csv(&board),
        Format::Md => markdown(&board),
    })
}
