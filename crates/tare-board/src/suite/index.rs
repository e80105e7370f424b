//! Indices of suites that publish a baseline: 10 × result / baseline, and their geometric mean.

use crate::board::{Index, IndexRow, LayerSummary, Row, Score};
use tare_proto::name_and_load;
use tare_store::{Campaign, Outcome};

/// The counter that a series has beside it when its benchmark has a published baseline.
const COUNTER: &str = "index_baseline";

/// An index of this is as fast as the published baseline.
const AS_FAST: f64 = 10.0;

/// One index for every suite and load that has baselines. `rows` are the campaign's benchmarks.
pub(crate) fn indices(campaign: &Campaign, layers: &[LayerSummary], rows: &[Row]) -> Vec<Index> {
    let mut found: Vec<Index> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let Some(baseline) = baseline(campaign, at) else { continue };
        let (_, load) = name_and_load(row.benchmark.raw());
        let values = values(layers, row, |value| AS_FAST * value / baseline);
        let line = IndexRow { benchmark: row.benchmark.clone(), baseline, values };
        match found.iter_mut().find(|index| index.suite == row.suite && index.load == load) {
            Some(index) => index.rows.push(line),
            None => found.push(Index {
                suite: row.suite.clone(),
                load,
                layers: layers.iter().map(|layer| layer.name.clone()).collect(),
                rows: vec![line],
                scores: Vec::new(),
            }),
        }
    }
    for index in &mut found {
        index.scores = (0..layers.len()).map(|layer| score(&index.rows, layer)).collect();
    }
    found
}

/// What the probe says the published baseline is, in the row's unit.
fn baseline(campaign: &Campaign, benchmark: usize) -> Option<f64> {
    let series = campaign.series.iter();
    let mut measured =
        series.filter(|row| row.benchmark == benchmark && row.outcome == Outcome::Measured);
    let counter = measured.find_map(|row| row.counters.iter().find(|c| c.name == COUNTER))?;
    Some(counter.value).filter(|value| value.is_finite() && *value > 0.0)
}

/// Every layer's mean, the baseline's among them, as an index.
fn values(layers: &[LayerSummary], row: &Row, index: impl Fn(f64) -> f64) -> Vec<Option<f64>> {
    let mut cells = row.cells.iter();
    let mean = |layer: &LayerSummary| match layer.baseline {
        true => row.baseline,
        false => cells.next().and_then(|cell| cell.mean),
    };
    let means: Vec<_> = layers.iter().map(mean).collect();
    means.into_iter().map(|mean| Some(index(mean?.mean)).filter(|i| *i > 0.0)).collect()
}

fn score(rows: &[IndexRow], layer: usize) -> Option<Score> {
    let known: Vec<f64> = rows.iter().filter_map(|row| row.values[layer]).collect();
    if known.is_empty() {
        return None;
    }
    let value = (known.iter().map(|index| index.ln()).sum::<f64>() / known.len() as f64).exp();
    Some(Score { value, rows: known.len(), left_out: rows.len() - known.len() })
}
