//! What a layer's cost is made of over all rows.

use super::causes::{BEYOND, DEARER, OWN_CODE, REMAINDER, WAITING};
use crate::explain::Explanation;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::Untrusted;

/// Of what remains, a row is explained if it is less than this share of what is added.
const EXPLAINED: f64 = 0.25;

/// The causes of one layer's cost, over the rows that it is dearer in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerCauses {
    /// The layer.
    pub layer: Untrusted,
    /// Rows that are dearer than on the baseline by a tenth or more.
    pub dearer: usize,
    /// Rows that were watched.
    pub watched: usize,
    /// Those of the dearer ones of which less than a quarter is not explained.
    pub explained: usize,
    /// The causes with their mean share of what is added, the largest first; what is not explained is the last.
    pub shares: Vec<(String, f64)>,
    /// The whole in a sentence.
    pub sentence: String,
}

/// What the cost of `layer` is made of, by the explanations of its rows; `None` when none was watched.
#[must_use]
pub fn layer_causes(all: &[Explanation], layer: &str) -> Option<LayerCauses> {
    let rows = all.iter().filter(|e| e.layer == layer).filter_map(|e| e.outside.as_ref());
    let (mut watched, mut dearer, mut explained) = (0, 0, 0_usize);
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
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
            *sums.entry(&cause.name).or_default() += cause.ns / added;
        }
        let left = row.causes.iter().filter(|cause| cause.is_unexplained());
        let left: f64 = left.map(|cause| cause.ns).sum();
        explained += usize::from((left / added).abs() < EXPLAINED);
    }
    if watched == 0 {
        return None;
    }
    let mean = |(name, sum): (&str, f64)| (name.to_owned(), sum / f64::from(dearer.max(1_u32)));
    let mut shares: Vec<(String, f64)> = sums.into_iter().map(mean).collect();
    shares.sort_by(|a, b| (a.0 == REMAINDER).cmp(&(b.0 == REMAINDER)).then(b.1.total_cmp(&a.1)));
    let sentence = match dearer {
        0 => format!("none of its {watched} rows that were watched is a tenth dearer."),
        _ => {
            let told =
                |(name, share): &(String, f64)| format!("{:.0}% {}", 100.0 * share, short(name));
            let parts: Vec<String> =
                shares.iter().filter(|(_, share)| share.abs() >= 0.01).map(told).collect();
            format!(
                "what {dearer} of its {watched} rows cost more is, on average, {}.",
                parts.join(", ")
            )
        }
    };
    let layer = layer.to_owned().into();
    Some(LayerCauses { layer, dearer: dearer as usize, watched, explained, shares, sentence })
}

/// A cause in few words.
fn short(name: &str) -> &str {
    match name {
        OWN_CODE => "its own code",
        WAITING => "waiting",
        BEYOND => "the host's kernel beyond these prices",
        REMAINDER => "not explained by these",
        name => name,
    }
}
