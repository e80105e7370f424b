//! What primitives cost natively: by the campaign's own rows, or as it was measured beside the baseline's watched rows.

use super::primitives::Primitive;
use crate::board::Scoreboard;
use std::collections::BTreeMap;
use tare_proto::outside::price_of;
use tare_stats::{Best, Estimator};
use tare_store::Campaign;

/// Of all moments in which a price was measured these count, as of a row's own samples: a shared machine has slower ones.
const QUICKER: Estimator = Estimator::MeanOfBest { keep: 3, of: 5 };

/// The prices of a campaign.
pub(super) struct Prices<'a> {
    board: &'a Scoreboard,
    /// Nanoseconds by the names of their counters.
    beside: BTreeMap<String, f64>,
}

impl<'a> Prices<'a> {
    /// Those of `campaign`, whose values are on the `board`.
    pub(super) fn of(campaign: &Campaign, board: &'a Scoreboard) -> Prices<'a> {
        let is_baseline = |boot: usize| {
            campaign.boots.get(boot).is_some_and(|boot| Some(boot.layer) == campaign.baseline())
        };
        let prefix = price_of("");
        let mut moments: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in campaign.series.iter().filter(|row| is_baseline(row.boot)) {
            for one in row.counters.iter().filter(|one| one.name.starts_with(&prefix)) {
                moments.entry(one.name.clone()).or_default().push(one.value);
            }
        }
        let quicker = |(name, moments): (String, Vec<f64>)| {
            QUICKER.reduce(&moments, Best::Lowest).ok().map(|ns| (name, ns))
        };
        Prices { board, beside: moments.into_iter().filter_map(quicker).collect() }
    }

    /// What one such `primitive` costs, in nanoseconds.
    pub(super) fn one(&self, primitive: &Primitive) -> Option<f64> {
        let of_row = |(name, holds): &(&str, f64)| {
            let row = self.board.rows.iter().find(|row| row.benchmark == *name);
            let pair = row.and_then(|row| row.cells.iter().find_map(|cell| cell.pair));
            let beside = || self.beside.get(&price_of(name)).copied();
            let ns = pair.map(|pair| pair.baseline).or_else(beside)?;
            Some(ns / holds).filter(|ns| ns.is_finite() && *ns > 0.0)
        };
        primitive.rows.iter().find_map(of_row)
    }
}
