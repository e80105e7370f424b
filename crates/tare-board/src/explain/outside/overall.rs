//! What a layer's cost is made of over all rows.

use super::causes::{DEARER, Known, REMAINDER};
use crate::explain::Explanation;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tare_proto::Untrusted;
use tare_stats::mean;

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
    /// Geometric mean of the dearer rows' ratios to the baseline, as they are explained.
    pub ratio: f64,
    /// What would help most, were it gone from all of these rows: three causes at most.
    pub helps: Vec<Help>,
    /// The whole in a sentence.
    pub sentence: String,
}

/// A cause, and what a layer would cost without it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Help {
    /// The cause.
    pub cause: String,
    /// Geometric mean of the rows' ratios if it took nothing. No row is quicker than on the baseline, however much of it there is.
    pub without: f64,
}

/// Most causes that are told as a help, and the share of the ratio that one takes off at least.
const MOST_HELPS: usize = 3;
const HELPS: f64 = 0.02;

/// A row that is dearer, in nanoseconds on the baseline and on the layer, with its causes by their kinds.
struct Dearer {
    native: f64,
    own: f64,
    causes: BTreeMap<String, f64>,
}

/// Geometric mean of the rows' ratios, if `cause` were gone from them.
fn ratio_without(rows: &[Dearer], cause: Option<&str>) -> f64 {
    let of = |row: &Dearer| {
        let gone = cause.and_then(|cause| row.causes.get(cause)).copied().unwrap_or(0.0);
        ((row.own - gone).max(row.native) / row.native).ln()
    };
    let logs: Vec<f64> = rows.iter().map(of).collect();
    mean(&logs).map_or(1.0, f64::exp)
}

/// The causes without which the rows would be the least dear.
fn helps(rows: &[Dearer]) -> Vec<Help> {
    let most = (1.0 - HELPS) * ratio_without(rows, None);
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.causes.keys()).collect();
    let each = names.into_iter().filter(|name| *name != REMAINDER);
    let help =
        |cause: &String| Help { cause: cause.clone(), without: ratio_without(rows, Some(cause)) };
    let mut all: Vec<Help> = each.map(help).filter(|help| help.without <= most).collect();
    all.sort_by(|a, b| a.without.total_cmp(&b.without));
    all.truncate(MOST_HELPS);
    all
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
    let (mut watched, mut explained, mut priced) = (0, 0_usize, 0_usize);
    let mut dearer: Vec<Dearer> = Vec::new();
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
        let mut causes: BTreeMap<String, f64> = BTreeMap::new();
        for cause in &row.causes {
            *causes.entry(kind(&cause.name)).or_default() += cause.ns;
        }
        dearer.push(Dearer { native, own, causes });
        let shares = row.shares(added);
        known.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
        explained += usize::from(shares[Known::Unexplained as usize].abs() < EXPLAINED);
        priced += usize::from((1.0 - shares[Known::Priced as usize]).abs() < EXPLAINED);
    }
    if watched == 0 {
        return None;
    }
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for row in &dearer {
        for (name, ns) in &row.causes {
            *sums.entry(name.clone()).or_default() += ns / (row.own - row.native);
        }
    }
    let rows = dearer.len().max(1) as f64;
    let mean = |(name, sum): (String, f64)| (name, sum / rows);
    let mut shares: Vec<(String, f64)> = sums.into_iter().map(mean).collect();
    shares.sort_by(|a, b| (a.0 == REMAINDER).cmp(&(b.0 == REMAINDER)).then(b.1.total_cmp(&a.1)));
    let sentence = match dearer.len() {
        0 => format!("none of its {watched} rows that were watched is a tenth dearer."),
        several => {
            let told = |(name, share): &(String, f64)| format!("{:.0}% {name}", 100.0 * share);
            let parts: Vec<String> =
                shares.iter().filter(|(_, share)| share.abs() >= 0.01).map(told).collect();
            format!(
                "what {several} of its {watched} rows cost more is, on average, {}.",
                parts.join(", ")
            )
        }
    };
    let layer = layer.to_owned().into();
    Some(LayerCauses {
        layer,
        dearer: dearer.len(),
        watched,
        explained,
        priced,
        known: known.map(|sum| sum / rows),
        shares,
        ratio: ratio_without(&dearer, None),
        helps: helps(&dearer),
        sentence,
    })
}

/// A cause without what differs from row to row: the calls for which the host's kernel worked.
pub(in crate::explain) fn kind(name: &str) -> String {
    match name.split_once(" (") {
        Some((place, _)) => place.to_owned(),
        None => name.to_owned(),
    }
}
