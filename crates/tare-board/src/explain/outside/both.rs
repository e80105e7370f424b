//! What was seen of a row on the baseline and on a layer, and of which operation that is.

use super::seen::{Of, One};
use crate::board::{Pair, Row};
use crate::explain::series::series_of;
use tare_proto::outside::WITHOUT_RECORDS;
use tare_store::{Campaign, Outcome, Role, SeriesRow};

/// A row on both.
pub(super) struct Both {
    pub baseline: One,
    pub layer: One,
    /// What an operation took on both, in the row's unit.
    pub values: Pair,
    /// Whether the operation is the whole one, before anything is subtracted. Where most of it is, nobody could say what a small difference of
    /// large numbers is made of. Nor where a layer works in several ways, since each of a row's terms met other shares of them.
    pub is_whole: bool,
}

impl Both {
    /// Of benchmark number `bench` on layer number `layer`, whose `row` has the values `pair`; `None` where one of them was not watched.
    pub(super) fn of(
        campaign: &Campaign,
        (bench, row): (usize, &Row),
        layer: usize,
        pair: &Pair,
    ) -> Option<Both> {
        let native = campaign.baseline()?;
        let seen = |which: Of| {
            let baseline = One::of(campaign, (bench, native), which)?;
            Some((baseline, One::of(campaign, (bench, layer), which)?))
        };
        // All layers of a row alike, also one that has little subtracted: their causes are compared.
        let is_mostly_subtracted = row.cells.iter().any(|cell| cell.subtracted.is_some());
        let mut rows = campaign.series.iter().filter(|row| row.benchmark == bench);
        let has_modes =
            |row: &SeriesRow| row.counters.iter().any(|counter| counter.name == WITHOUT_RECORDS);
        let by_whole = is_mostly_subtracted || rows.any(has_modes);
        let whole = if by_whole { seen(Of::Whole) } else { None };
        if let Some((baseline, layer_seen)) = whole {
            let values = Pair {
                baseline: pair.baseline + subtracted(campaign, bench, native),
                layer: pair.layer + subtracted(campaign, bench, layer),
            };
            return Some(Both { baseline, layer: layer_seen, values, is_whole: true });
        }
        let (baseline, layer) = seen(Of::Row)?;
        Some(Both { baseline, layer, values: *pair, is_whole: false })
    }
}

/// What is subtracted from an operation of benchmark number `bench` on layer number `layer`, on average over the boots that its value is of.
fn subtracted(campaign: &Campaign, bench: usize, layer: usize) -> f64 {
    let weighs = |row: &&SeriesRow| campaign.boots[row.boot].role != Role::OneCpu;
    let measured = series_of(campaign, bench, layer).filter(|row| row.outcome == Outcome::Measured);
    let all: Vec<f64> = measured.filter(weighs).map(|row| row.subtracted).collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}
