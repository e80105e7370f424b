//! The series of one benchmark on one layer.

use tare_store::{Campaign, SeriesRow};

/// Those of benchmark number `bench` on layer number `layer`, of all its boots.
pub(super) fn series_of(
    campaign: &Campaign,
    bench: usize,
    layer: usize,
) -> impl Iterator<Item = &SeriesRow> {
    let of_layer = move |boot: usize| campaign.boots.get(boot).is_some_and(|b| b.layer == layer);
    campaign.series.iter().filter(move |row| row.benchmark == bench && of_layer(row.boot))
}
