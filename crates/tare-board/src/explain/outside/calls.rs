//! In which of the host's system calls an operation's time goes.

use super::TOLD;
use super::seen::One;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::outside::{Part, Seen};

/// Time of an operation within one system call of the host, of all threads on the operation's path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallTime {
    /// Its name (`openat`).
    pub call: String,
    /// Asleep, until something outside of the layer woke the thread; otherwise on a CPU.
    pub asleep: bool,
    /// Nanoseconds of an operation on the baseline.
    pub baseline: f64,
    /// On the layer.
    pub layer: f64,
}

/// The time within each system call on both, the longest first.
pub(super) fn within(baseline: &One, layer: &One) -> Vec<CallTime> {
    let mut all: BTreeMap<(String, bool), (f64, f64)> = BTreeMap::new();
    for part in Part::ALL {
        for (seen, asleep) in [(Seen::RunsIn, false), (Seen::SleepsIn, true)] {
            for (call, ns) in baseline.within(seen, part) {
                all.entry((call, asleep)).or_default().0 += ns;
            }
            for (call, ns) in layer.within(seen, part) {
                all.entry((call, asleep)).or_default().1 += ns;
            }
        }
    }
    let longest = |one: &CallTime| one.baseline.max(one.layer);
    let whole: f64 = all.values().map(|(_, layer)| layer).sum();
    let told = all.into_iter().map(|((call, asleep), (baseline, layer))| CallTime {
        call,
        asleep,
        baseline,
        layer,
    });
    let mut told: Vec<CallTime> = told.filter(|one| longest(one) >= TOLD * whole).collect();
    told.sort_by(|a, b| longest(b).total_cmp(&longest(a)));
    told
}
