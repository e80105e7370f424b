//! `tare show`: prints a campaign's scoreboard.

use crate::cli::{Format, FormatArgs, ShowArgs};
use crate::output;
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use tare_report::{Options, TextStyle, json, markdown, scoreboard, text};
use tare_store::load;

/// Prints the scoreboard of the campaign in `args.dir`.
pub fn show(args: &ShowArgs) -> Result<ExitCode> {
    print(&args.dir, &args.format)?;
    Ok(ExitCode::SUCCESS)
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
        Format::Md => markdown(&board),
    });
    Ok(())
}
