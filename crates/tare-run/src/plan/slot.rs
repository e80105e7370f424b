//! One boot of a block: what it is, and how long its answers are waited for.

use super::simulated;
use std::time::Duration;
use tare_layers::Patience;
use tare_proto::Machine;
use tare_store::Role;

/// A request may take its series' time this many times over, and [`GRACE`] more, before the layer
/// counts as hung.
const PATIENCE: u32 = 4;
const GRACE: Duration = Duration::from_secs(10);

/// Which boot it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub block: u32,
    /// Its place in the block's order.
    pub place: u32,
    pub layer: usize,
    pub role: Role,
    /// 1, or 2 after a failure.
    pub attempt: u32,
}

/// A row of a boot, which has one series at most however often the boot is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub block: u32,
    pub layer: usize,
    pub role: Role,
    pub bench: usize,
}

impl Slot {
    /// Its row of `bench`.
    pub(crate) fn key(&self, bench: usize) -> Key {
        Key { block: self.block, layer: self.layer, role: self.role, bench }
    }
}

/// How long an answer is waited for, when the layer may take `limit_ms` by its own clock.
pub(crate) fn patience(machine: Machine, limit_ms: u64) -> Patience {
    match machine {
        Machine::Real => (Duration::from_millis(limit_ms) * PATIENCE + GRACE).into(),
        Machine::Sim => simulated::patience(limit_ms),
    }
}

/// How long a greeting is waited for, when a boot may take `within`.
pub(crate) fn to_greet(machine: Machine, within: Duration) -> Patience {
    match machine {
        Machine::Real => within.into(),
        Machine::Sim => Patience::of_progress(within),
    }
}
