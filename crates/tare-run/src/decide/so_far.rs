//! What a campaign tells while it goes on: each layer's geometric mean over the rows that it has by then. It has no interval, and
//! nothing is decided by it.

use crate::plan::sandbox_benches::is_row;
use crate::plan::setup::Setup;
use crate::record::found::SoFar;
use crate::record::history::History;
use tare_proto::Better;
use tare_stats::mean;

/// Of every layer that has a row beside the baseline's. Above 1 a layer costs more, whichever end of its rows is good.
pub(crate) fn so_far(setup: &Setup, history: &History) -> Vec<SoFar> {
    let rows = |bench: &usize| !setup.is_of_host(*bench) && !is_row(&setup.benches[*bench]);
    let rows: Vec<usize> = (0..setup.benches.len()).filter(rows).collect();
    let of = |layer: usize| {
        let log = |bench: &usize| log_cost(setup, history, layer, *bench);
        let logs: Vec<f64> = rows.iter().filter_map(log).collect();
        let ratio = mean(&logs).ok()?.exp();
        Some(SoFar { layer: setup.layers[layer].name.clone(), ratio, rows: logs.len() })
    };
    let others = setup.able().into_iter().filter(|layer| *layer != setup.baseline());
    others.filter_map(of).collect()
}

/// The logarithm of how many times as much `bench` costs on `layer` as on the baseline, over all blocks; `None` of a row that the report's
/// mean does not count either.
fn log_cost(setup: &Setup, history: &History, layer: usize, bench: usize) -> Option<f64> {
    if [layer, setup.baseline()].iter().any(|at| history.is_mostly_subtracted(*at, bench)) {
        return None;
    }
    let mut logs = history.log_ratios(layer, setup.baseline(), bench);
    logs.retain(|log| log.is_finite());
    let log = mean(&logs).ok()?;
    match setup.benches[bench].better {
        Better::Lower => Some(log),
        Better::Higher => Some(-log),
    }
}
