//! Counts of a running machine: KVM's own statistics, and the exits that reached this program.

use crate::stats::Stats;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tare_proto::Counter;

/// Why the CPU came back to this program.
#[derive(Debug, Clone, Copy)]
pub enum Reason {
    /// A port of a device here.
    Port,
    /// An address where nothing is.
    Memory,
    /// A signal.
    Other,
}

/// The names of the reasons, in their order.
const NAMES: [&str; 3] = ["vmm_port_io", "vmm_mmio", "vmm_other"];

/// Exits to this program by reason.
#[derive(Default)]
pub struct Exits([AtomicU64; NAMES.len()]);

impl Exits {
    pub fn count(&self, reason: Reason) {
        self.0[reason as usize].fetch_add(1, Relaxed);
    }

    fn read(&self) -> impl Iterator<Item = (String, u64)> {
        let counts = self.0.iter().map(|count| count.load(Relaxed));
        NAMES.iter().map(|name| (*name).to_owned()).zip(counts)
    }
}

/// Everything at one moment, by name.
pub type Totals = BTreeMap<String, u64>;

/// Reads everything now. Statistics that cannot be read are left out.
pub fn totals(stats: &[Stats], exits: &Exits) -> Totals {
    let of_kvm = stats.iter().flat_map(|stats| stats.read().unwrap_or_default());
    of_kvm.chain(exits.read()).collect()
}

/// What was added between two moments, as counters of the series in between.
pub fn between(before: &Totals, after: &Totals) -> Vec<Counter> {
    let grown = after.iter().map(|(name, count)| {
        (name, count.saturating_sub(before.get(name).copied().unwrap_or_default()))
    });
    let grown = grown.filter(|(_, more)| *more > 0);
    grown.map(|(name, more)| Counter::new(&format!("kvm/{name}"), more as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_counted() {
        let exits = Exits::default();
        let before = totals(&[], &exits);
        exits.count(Reason::Port);
        exits.count(Reason::Port);
        exits.count(Reason::Other);
        let wanted = [Counter::new("kvm/vmm_other", 1.0), Counter::new("kvm/vmm_port_io", 2.0)];
        assert_eq!(between(&before, &totals(&[], &exits)), wanted);
    }
}
