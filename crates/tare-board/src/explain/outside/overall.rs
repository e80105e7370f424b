//! What a layer's cost is made of over all rows.

use super::causes::{DEARER, Known, REMAINDER};
use crate::explain::Explanation;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::Untrusted;

/// Of what remains, a row is explained if it is less than this share of what is added.
pub(in crate::explain) const EXPLAINED: f64 = 0.25;

/// The causes of one layer's cost, over the rows that it is dearer in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerCauses {
    /// The layer.
    pub layer: Untrusted,
    /// Rows that are dearer than on the baseline by a tenth or more.
    pub dearer: usize,
    /// Rows that were watched.
    pub watched: usize,
    /// Those of the dearer ones of which less than a quarter has neither a price nor a place.
    pub explained: usize,
    /// Those of which less than a quarter has no price.
    pub priced: usize,
    /// How well the added time is known, as mean shares of it: with a price, with a place alone, and neither. A share may be negative,
    /// where prices are more than what is added.
    pub known: [f64; 3],
    /// The causes with their mean share of what is added, the largest first; what is not explained is the last.
    pub shares: Vec<(String, f64)>,
    /// The whole in a sentence.
    pub sentence: String,
}

/// What the cost of `layer` is made of, by the explanations of its rows; `None` when none was watched.
#[must_use]
pub fn layer_causes(all: &[Explanation], layer: &str) -> Option<LayerCauses> {
    // Figures that one run prints have its causes in common.
    let is_own = |e: &&Explanation| {
        let run_of = e.outside.as_ref().and_then(|seen| seen.run_of.as_ref());
        e.layer == layer && run_of.is_none_or(|name| *name == e.benchmark)
    };
    let rows = all.iter().filter(is_own).filter_map(|e| e.outside.as_ref());
    let (mut watched, mut dearer, mut explained, mut priced) = (0, 0, 0_usize, 0_usize);
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    let mut known = [0.0; 3];
    for row in rows {
        watched += 1;
        let Some((native, own)) = row.measured_ns.filter(|_| !row.times.is_empty()) else {
            continue;
        };
        let added = own - native;
        if added < DEARER * native {
            continue;
        }
        dearer += 1;
        for cause in &row.causes {
            *sums.entry(kind(&cause.name)).or_default() += cause.ns / added;
        }
        let shares = row.shares(added);
        known.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
        explained += usize::from(shares[Known::Unexplained as usize].abs() < EXPLAINED);
        priced += usize::from((1.0 - shares[Known::Priced as usize]).abs() < EXPLAINED);
    }
    if watched == 0 {
        return None;
    }
    let rows = f64::from(dearer.max(1_u32));
    let mean = |(name, sum): (String, f64)| (name, sum / rows);
    let mut shares: Vec<(String, f64)> = sums.into_iter().map(mean).collect();
    shares.sort_by(|a, b| (a.0 == REMAINDER).cmp(&(b.0 == REMAINDER)).then(b.1.total_cmp(&a.1)));
    let sentence = match dearer {
        0 => format!("none of its {watched} rows that were watched is a tenth dearer."),
        _ => {
            let told = |(name, share): &(String, f64)| format!("{:.0}% {name}", 100.0 * share);
            let parts: Vec<String> =
                shares.iter().filter(|(_, share)| share.abs() >= 0.01).map(told).collect();
            format!(
                "what {dearer} of its {watched} rows cost more is, on average, {}.",
                parts.join(", ")
            )
        }
    };
    let layer = layer.to_owned().into();
    let (dearer, known) = (dearer as usize, known.map(|sum| sum / rows));
    Some(LayerCauses { layer, dearer, watched, explained, priced, known, shares, sentence })
}

/// A cause without what differs from row to row: the calls for which the host's kernel worked.
pub(in crate::explain) fn kind(name: &str) -> String {
    match name.split_once(" (") {
        Some((place, _)) => place.to_owned(),
        None => name.to_owned(),
    }
}
