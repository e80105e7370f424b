//! The sysbench family: what the cpu, memory, threads and mutex tests of sysbench 1.0 define, written
//! afresh. A load of N is N threads, whose rates are added up.
//!
//! An event is timed as the original times it, by two readings of the clock and one entry in a
//! histogram: on short events (1 KiB of memory) that is most of it. The percentile is a counter.

pub mod cpu;
pub mod memory_read;
pub mod memory_write;
pub mod mutex;
pub mod threads;

mod block;

use crate::bench::{Bench, Measured, Own, Refusal};
use crate::clock::now_ns;
use crate::latency::Latencies;
use crate::window;
use tare_proto::{Counter, Unit};

/// A row of the family.
const fn row(
    name: &'static str,
    about: &'static str,
    unit: Unit,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        unit,
        estimator: "median",
        load: "threads",
        loads: &[1, 0],
        series_ms: 400,
        ..Bench::own(name, about, "sysbench", run)
    }
}

/// Rates of events, each timed, of one thread for each state.
fn events<S: Send>(
    own: &Own,
    states: Vec<S>,
    event: impl Fn(&mut S) + Sync,
) -> Result<Measured, Refusal> {
    let mut all: Vec<Latencies> = states.iter().map(|_| Latencies::new()).collect();
    let states: Vec<_> = states.into_iter().zip(&mut all).collect();
    let mut measured = window::threads(own, states, |(state, latencies), events| {
        for _ in 0..events {
            let start = now_ns();
            event(state);
            latencies.add(now_ns() - start);
        }
    })?;
    let p95 = Latencies::sum(&all).percentile(0.95);
    measured.counters.push(Counter::new("latency_p95", p95));
    Ok(measured)
}
