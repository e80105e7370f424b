//! The cost of misses in the model, in cycles, the same for every layer. These are assumptions, which are printed with the
//! results; a real processor overlaps many misses.

use super::counted::One;
use tare_proto::counter::{MODEL, Place};

/// Places in the names of counters.
pub(super) const PLACES: [&str; 5] = [
    Place::Probe.name(),
    Place::User.name(),
    Place::Kernel.name(),
    Place::Dom0.name(),
    Place::Hypervisor.name(),
];

/// What each miss adds, in cycles: to the next level's latency, as desktop and server cores of the last decade have it
/// (Intel's and AMD's optimization manuals: 12 to 14 for the L2, 40 to 50 for the L3, 200 and more for memory; 7 for a
/// translation from the second-level TLB, 20 to 40 for a walk whose tables are cached).
const COSTS: &[(&str, f64)] = &[
    ("l1i_misses", 14.0),
    ("l1d_misses", 14.0),
    ("l2_misses", 30.0),
    ("l3_misses", 156.0),
    ("itlb_misses", 7.0),
    ("dtlb_misses", 7.0),
    ("itlb_walks", 23.0),
    ("dtlb_walks", 23.0),
];

/// Cycles of an instruction that misses nothing.
const IDEAL: f64 = 0.5;

/// The assumptions in words.
pub(super) fn describe() -> String {
    let costs: Vec<String> =
        COSTS.iter().map(|(name, cost)| format!("{} {cost}", name.replace('_', " "))).collect();
    format!(
        "{IDEAL} cycles per instruction, and for each of these as many cycles more: {}",
        costs.join(", ")
    )
}

/// The names of the modelled counter `kind` in all places.
pub(super) fn everywhere(kind: &str) -> Vec<String> {
    PLACES.iter().map(|place| format!("{MODEL}{place}/{kind}")).collect()
}

/// Cycles of one operation of `instructions` on one layer.
pub(super) fn of(one: &One, instructions: f64) -> f64 {
    COSTS.iter().fold(IDEAL * instructions, |sum, (kind, cost)| {
        sum + cost * one.sum(everywhere(kind)).unwrap_or(0.0)
    })
}
