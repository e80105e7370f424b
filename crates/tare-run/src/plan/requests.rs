//! What a booted layer is asked for a benchmark, and how long its answer is waited for.

use super::programs;
use super::setup::Setup;
use super::slot::patience;
use tare_layers::Patience;
use tare_proto::Request;
use tare_store::Order;

/// Shortest timed batch: 50,000 times the resolution of the clocks seen so far, and short enough for
/// a series to fit between two interruptions more often than not.
pub const BATCH_NS: u64 = 1_000_000;

impl Setup<'_> {
    /// All samples of `bench` at once: so many, or as many as it asks for itself.
    pub(crate) fn request(&self, id: u32, bench: usize, samples: Option<u32>) -> Request {
        let asked = &self.benches[bench];
        Request {
            id,
            bench: asked.name.clone(),
            samples: samples.unwrap_or(asked.samples),
            // Who takes no turns where others do has no reason for short batches, and may need long ones to wake up.
            batch_ns: match self.plan.order {
                Order::Rounds => self.plan.batch_ns.max(BATCH_NS),
                Order::Series | Order::Boots => self.plan.batch_ns,
            },
            limit_ms: self.limit_ms(bench),
            events: self.plan.events,
            cache_bytes: self.plan.cache_bytes,
            turns: false,
            term: None,
            program: self.program(bench).map(|planned| Box::new(planned.program.clone())),
        }
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
