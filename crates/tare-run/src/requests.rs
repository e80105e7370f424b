//! What a booted layer is asked for a benchmark, and how long its answer is waited for.

use crate::host_benches::HOST_BENCHES;
use crate::programs;
use crate::runner::Runner;
use crate::samples::Samples;
use crate::slot::{Slot, patience};
use tare_layers::Patience;
use tare_proto::Request;
use tare_store::Order;

/// Shortest timed batch: 50,000 times the resolution of the clocks seen so far, and short enough for
/// a series to fit between two interruptions more often than not.
pub const BATCH_NS: u64 = 1_000_000;

impl Runner<'_> {
    /// Whether the probe is asked for this benchmark at all.
    pub(crate) fn is_asked(&self, slot: &Slot, bench: usize) -> bool {
        let of_host = HOST_BENCHES.iter().any(|host| host.name == self.benches[bench].name);
        !of_host && !self.history.fatal.contains(&(slot.layer, bench))
    }

    /// All samples of `bench`, at once.
    pub(crate) fn request(&self, id: u32, bench: usize, samples: &Samples) -> Request {
        // Who takes no turns where others do has no reason for short batches, and may need long ones to wake up.
        let batch_ns = match self.plan.order {
            Order::Rounds => self.plan.batch_ns.max(BATCH_NS),
            Order::Series | Order::Boots => self.plan.batch_ns,
        };
        let limit_ms = self.limit_ms(bench);
        let own = self.benches[bench].samples;
        let samples = samples.get(&bench).copied().unwrap_or(own);
        let events = self.plan.events;
        let program = self.program(bench).map(|planned| Box::new(planned.program.clone()));
        let (bench, cache_bytes) = (self.benches[bench].name.clone(), self.plan.cache_bytes);
        let turns = false;
        Request { id, bench, samples, batch_ns, limit_ms, events, cache_bytes, turns, program }
    }

    /// How long an answer to `request` is waited for.
    pub(crate) fn within(&self, request: &Request) -> Patience {
        if let Some(program) = &request.program {
            return programs::patience(self.plan.machine, program, request);
        }
        // With events a benchmark that takes its own samples runs twice.
        let runs = 1 + u64::from(request.events);
        patience(self.plan.machine, runs * request.limit_ms)
    }
}
