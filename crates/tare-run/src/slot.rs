//! One boot of a block: what it is, and how long its answers are waited for.

use crate::allocate::Samples;
use crate::simulated;
use std::time::Duration;
use tare_proto::Machine;
use tare_store::Role;

/// A request may take its series' time this many times over, and [`GRACE`] more, before the layer
/// counts as hung.
const PATIENCE: u32 = 4;
const GRACE: Duration = Duration::from_secs(10);

/// What to boot and what to ask of it.
pub(crate) struct Slot<'a> {
    pub block: u32,
    pub slot: u32,
    pub layer: usize,
    pub role: Role,
    pub attempt: u32,
    /// The benchmarks that are still lacking, in the order to measure them.
    pub benches: &'a [usize],
    /// Samples of a series where they are not the benchmark's own number.
    pub samples: &'a Samples,
}

/// Longest time that an answer may take by the host's clock, when the layer may take `limit_ms` by its own.
pub(crate) fn patience(machine: Machine, limit_ms: u64) -> Duration {
    match machine {
        Machine::Real => Duration::from_millis(limit_ms) * PATIENCE + GRACE,
        Machine::Sim => simulated::patience(limit_ms),
    }
}
