//! What a finished campaign owes its exit code: whether its layers gave figures.

use crate::{cli, output};
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use tare_proto::BenchInfo;
use tare_run::HOST_SUITE;
use tare_store::{Boot, Campaign, LayerRow, Outcome, Role, SeriesRow};

/// The exit code of the finished campaign in `out`. It failed if no layer gave a figure that could be compared with the baseline's or,
/// where all layers are `required`, if any gave none. Rows that the baseline cannot have, as it is never restored, are no failure of it.
pub fn code(out: &Path, required: bool) -> Result<ExitCode> {
    let campaign = tare_store::load(out)?;
    let ran: Vec<&LayerRow> =
        campaign.layers.iter().filter(|row| row.unavailable.is_none()).collect();
    let is_base = |row: &LayerRow| row.name == campaign.plan.baseline;
    let failed: Vec<&LayerRow> = ran
        .iter()
        .copied()
        .filter(|row| !has_figure(&campaign, row))
        .filter(|row| !(is_base(row) && has_only_holes(&campaign, row)))
        .collect();
    let is_beside = |row: &&LayerRow| !is_base(row) && has_figure(&campaign, row);
    let can_compare = !failed.iter().any(|row| is_base(row)) && ran.iter().any(is_beside);
    let what = match () {
        () if ran.len() > 1 && !can_compare => "Nothing could be compared",
        () if required && !failed.is_empty() => "A required layer failed",
        () => return Ok(ExitCode::SUCCESS),
    };
    let failed: Vec<&str> = failed.iter().map(|row| row.name.raw()).collect();
    output::note(&format!("{what}: no row was measured on {}.", failed.join(", ")));
    Ok(cli::LAYER_MISSING.into())
}

/// The series of the layer of `row`, with the boot of each. Those of its start and its memory, which come with every campaign, are among
/// them only where there are no others.
fn series_of<'a>(
    campaign: &'a Campaign,
    row: &LayerRow,
) -> impl Iterator<Item = (&'a Boot, &'a SeriesRow)> {
    let is_host = |bench: &BenchInfo| bench.suite == HOST_SUITE.0;
    let only_host = campaign.benchmarks.iter().all(is_host);
    let all = campaign.series.iter().map(|series| (&campaign.boots[series.boot], series));
    all.filter(move |(boot, series)| {
        campaign.layers[boot.layer].name == row.name
            && (only_host || !is_host(&campaign.benchmarks[series.benchmark]))
    })
}

/// Whether the layer of `row` could have none of the campaign's rows, and failed in none.
fn has_only_holes(campaign: &Campaign, row: &LayerRow) -> bool {
    let mut all = series_of(campaign, row).peekable();
    all.peek().is_some() && all.all(|(_, series)| series.outcome == Outcome::Unavailable)
}

/// Whether a row was measured on the layer of `row`.
fn has_figure(campaign: &Campaign, row: &LayerRow) -> bool {
    series_of(campaign, row)
        .any(|(boot, series)| boot.role == Role::Weigh && series.outcome == Outcome::Measured)
}
