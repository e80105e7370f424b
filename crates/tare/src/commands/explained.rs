//! What follows a campaign that was explained.

use crate::output;
use anyhow::Result;
use std::path::Path;
use tare_board::{Explanation, Options, scoreboard};
use tare_report::explanations_text;

/// Explains every ratio of the campaign in `dir`, if it has any.
pub fn every(dir: &Path) -> Result<()> {
    let campaign = tare_store::load(dir)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let pairs = (0..campaign.benchmarks.len())
        .flat_map(|at| board.others().map(move |layer| (at, &layer.name)));
    let found: Vec<Explanation> = pairs
        .filter_map(|(at, layer)| tare_board::explain(&campaign, &board, at, layer.raw()))
        .collect();
    if !found.is_empty() {
        output::print(&format!("\n{}", explanations_text(&found)))?;
    }
    Ok(())
}
