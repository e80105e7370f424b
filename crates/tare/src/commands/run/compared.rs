//! What a finished campaign owes its exit code: whether its layers gave figures.

use crate::{cli, output};
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use tare_proto::BenchInfo;
use tare_run::HOST_SUITE;
use tare_store::{Campaign, LayerRow, Outcome, Role};

/// The exit code of the finished campaign in `out`. It failed if no layer gave a figure that could be compared with the baseline's or,
/// where all layers are `required`, if any gave none.
pub fn code(out: &Path, required: bool) -> Result<ExitCode> {
    let campaign = tare_store::load(out)?;
    let ran: Vec<&LayerRow> =
        campaign.layers.iter().filter(|row| row.unavailable.is_none()).collect();
    let (measured, blank): (Vec<&LayerRow>, Vec<&LayerRow>) =
        ran.iter().partition(|row| has_figure(&campaign, row));
    let is_base = |row: &&&LayerRow| row.name == campaign.plan.baseline;
    let bases = measured.iter().filter(is_base).count();
    let what = match () {
        () if ran.len() > 1 && (bases == 0 || measured.len() == bases) => {
            "Nothing could be compared"
        }
        () if required && !blank.is_empty() => "A required layer failed",
        () => return Ok(ExitCode::SUCCESS),
    };
    let blank: Vec<&str> = blank.iter().map(|row| row.name.raw()).collect();
    output::note(&format!("{what}: no row was measured on {}.", blank.join(", ")));
    Ok(cli::LAYER_MISSING.into())
}

/// Whether a row was measured on the layer of `row`. Those of its start and its memory, which come with every campaign, count only
/// where there are no others.
fn has_figure(campaign: &Campaign, row: &LayerRow) -> bool {
    let is_host = |bench: &BenchInfo| bench.suite == HOST_SUITE.0;
    let only_host = campaign.benchmarks.iter().all(is_host);
    campaign.series.iter().any(|series| {
        let boot = &campaign.boots[series.boot];
        let is_own = campaign.layers[boot.layer].name == row.name && boot.role == Role::Weigh;
        let counts = only_host || !is_host(&campaign.benchmarks[series.benchmark]);
        is_own && counts && series.outcome == Outcome::Measured
    })
}
