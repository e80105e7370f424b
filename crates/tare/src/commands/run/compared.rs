//! What a finished campaign owes its exit code: whether its layers gave figures.

use crate::{cli, output};
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
use tare_proto::BenchInfo;
use tare_run::HOST_SUITE;
use tare_store::{Campaign, LayerRow, Outcome, Role, SeriesRow};

/// The exit code of the finished campaign in `out`. It failed if no layer gave a figure that could be compared with the baseline's or,
/// where all layers are `required`, if any gave none. Rows that the baseline cannot have, as it is never restored, are no failure of it.
pub fn code(out: &Path, required: bool) -> Result<ExitCode> {
    let campaign = tare_store::load(out)?;
    let ran: Vec<&LayerRow> =
        campaign.layers.iter().filter(|row| row.unavailable.is_none()).collect();
    let (measured, blank): (Vec<&LayerRow>, Vec<&LayerRow>) =
        ran.iter().partition(|row| has_figure(&campaign, row));
    let is_base = |row: &&&LayerRow| row.name == campaign.plan.baseline;
    let bases = measured.iter().filter(is_base).count();
    let blank: Vec<&LayerRow> = blank
        .into_iter()
        .filter(|row| !(is_base(&row) && has_only_holes(&campaign, row)))
        .collect();
    let is_base_blank = blank.iter().any(|row| is_base(&row));
    let what = match () {
        () if ran.len() > 1 && (is_base_blank || measured.len() == bases) => {
            "Nothing could be compared"
        }
        () if required && !blank.is_empty() => "A required layer failed",
        () => return Ok(ExitCode::SUCCESS),
    };
    let blank: Vec<&str> = blank.iter().map(|row| row.name.raw()).collect();
    output::note(&format!("{what}: no row was measured on {}.", blank.join(", ")));
    Ok(cli::LAYER_MISSING.into())
}

/// Whether the layer of `row` could have none of the campaign's rows, and failed in none.
fn has_only_holes(campaign: &Campaign, row: &LayerRow) -> bool {
    let own = |series: &&SeriesRow| {
        campaign.layers[campaign.boots[series.boot].layer].name == row.name
            && !is_host(&campaign.benchmarks[series.benchmark])
    };
    let mut own = campaign.series.iter().filter(own).peekable();
    own.peek().is_some() && own.all(|series| series.outcome == Outcome::Unavailable)
}

fn is_host(bench: &BenchInfo) -> bool {
    bench.suite == HOST_SUITE.0
}

/// Whether a row was measured on the layer of `row`. Those of its start and its memory, which come with every campaign, count only
/// where there are no others.
fn has_figure(campaign: &Campaign, row: &LayerRow) -> bool {
    let only_host = campaign.benchmarks.iter().all(is_host);
    campaign.series.iter().any(|series| {
        let boot = &campaign.boots[series.boot];
        let is_own = campaign.layers[boot.layer].name == row.name && boot.role == Role::Weigh;
        let counts = only_host || !is_host(&campaign.benchmarks[series.benchmark]);
        is_own && counts && series.outcome == Outcome::Measured
    })
}
