//! What series tell of a row beside their values: who measured it, and whether its holes are chance.

use std::collections::BTreeMap;
use tare_proto::Untrusted;
use tare_store::{Campaign, Outcome};

/// The suite whose rows the host measures around whole layers.
pub const SANDBOX: &str = "sandbox";

/// Rows that are the slope of a line, which a ratio has no place for where it is not positive. A mean of the positive ones would
/// be too large, and so would a ratio of it.
const SLOPES: [&str; 2] = ["sandbox/memory", "sandbox/pss"];

/// By layer and benchmark: why its values must not be taken for all.
pub(crate) fn selected(campaign: &Campaign) -> BTreeMap<(usize, usize), Untrusted> {
    let is_slope = |bench: usize| {
        let bench = campaign.benchmarks.get(bench);
        bench.is_some_and(|bench| SLOPES.contains(&bench.name.as_str()))
    };
    let mut found: BTreeMap<(usize, usize), [usize; 2]> = BTreeMap::new();
    for series in campaign.series.iter().filter(|series| is_slope(series.benchmark)) {
        let Some(boot) = campaign.boots.get(series.boot) else { continue };
        let [values, holes] = found.entry((boot.layer, series.benchmark)).or_default();
        match series.outcome {
            Outcome::Measured => *values += 1,
            Outcome::Unavailable => *holes += 1,
            Outcome::Failed => {}
        }
    }
    let partly = found.into_iter().filter(|(_, [values, holes])| *values > 0 && *holes > 0);
    let why = |[values, holes]: [usize; 2]| {
        format!(
            "it is lost in noise: in {holes} of {} boots it was not above zero, and the others alone would be too large a mean; \
             'one more' (Alive and idle) is of all boots",
            values + holes
        )
    };
    partly.map(|(place, counts)| (place, why(counts).into())).collect()
}

/// The benchmarks that the host measured: the suite `sandbox`, and those whose series carry neither clock, and no other tool took.
pub(crate) fn by_host(campaign: &Campaign) -> Vec<bool> {
    let mut clocks: Vec<Option<bool>> = vec![None; campaign.benchmarks.len()];
    for row in campaign.series.iter().filter(|row| row.outcome == Outcome::Measured) {
        let Some(clock) = clocks.get_mut(row.benchmark) else { continue };
        let boot = campaign.boots.get(row.boot);
        let layer = boot.and_then(|boot| campaign.layers.get(boot.layer));
        let other = layer.is_some_and(|layer| layer.kind == tare_store::IMPORTED);
        *clock = Some(*clock == Some(true) || row.host_ns > 0 || row.probe_ns > 0 || other);
    }
    let rows = clocks.iter().zip(&campaign.benchmarks);
    rows.map(|(clock, bench)| *clock == Some(false) || bench.suite == SANDBOX).collect()
}
