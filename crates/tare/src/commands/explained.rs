//! The explanations of a campaign, and what is printed of them after it has run.

use crate::output;
use anyhow::Result;
use std::path::Path;
use tare_board::{
    Alone, Explanation, Options, Scoreboard, alone, explain, explain_beside, scoreboard,
};
use tare_proto::Machine;
use tare_report::{alone_text, explanations_text};
use tare_store::Campaign;

/// Explains the ratios of `campaign` that are `wanted`, by the names of benchmark and layer. Programs are compared with what `prices` predict of
/// them, or else the campaign's own.
pub fn explanations(
    campaign: &Campaign,
    board: &Scoreboard,
    prices: Option<(&Campaign, &Scoreboard)>,
    wanted: impl Fn(&str, &str) -> bool,
) -> Vec<Explanation> {
    let mut found = Vec::new();
    for (at, bench) in campaign.benchmarks.iter().enumerate() {
        let layers = board.others().map(|layer| layer.name.raw());
        let layers = layers.filter(|layer| wanted(&bench.name, layer));
        found.extend(layers.filter_map(|layer| match prices {
            Some(prices) => explain_beside(campaign, board, Some(prices), (at, layer)),
            None => explain(campaign, board, at, layer),
        }));
    }
    found
}

/// What the rows that are `wanted`, by name, execute on the only layer of a simulated machine, as far as it was counted; `None` of a campaign
/// that has other layers, or is of a real machine.
pub fn of_one_layer(
    campaign: &Campaign,
    board: &Scoreboard,
    wanted: impl Fn(&str) -> bool,
) -> Option<Vec<Alone>> {
    let is_alone = campaign.plan.machine == Machine::Sim && board.others().next().is_none();
    let benches = campaign.benchmarks.iter().enumerate();
    let benches = benches.filter(|(_, bench)| wanted(&bench.name));
    is_alone.then(|| benches.filter_map(|(at, _)| alone(campaign, at)).collect())
}

/// Prints an explanation of every ratio of the campaign in `dir`, if it has any, or what its only layer executes.
pub fn every(dir: &Path) -> Result<()> {
    let campaign = tare_store::load(dir)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let found = explanations(&campaign, &board, None, |_, _| true);
    if !found.is_empty() {
        output::print(&format!("\n{}", explanations_text(&found)))?;
    }
    if let Some(found) = of_one_layer(&campaign, &board, |_| true).filter(|all| !all.is_empty()) {
        output::print(&format!("\n{}", alone_text(&found)))?;
    }
    Ok(())
}
