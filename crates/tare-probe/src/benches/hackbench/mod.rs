//! The hackbench family, after the one in rt-tests: groups of 20 senders and 20 receivers; every sender
//! writes 100 messages of 100 bytes to each receiver of its group. A load of N is N groups.
//!
//! A value is the time from the signal to start, when all tasks are ready, until all have ended and
//! been waited for. Written afresh from what the original's manual describes.

pub mod process_pipe;
pub mod process_socket;
pub mod thread_pipe;
pub mod thread_socket;

mod group;
mod link;

use crate::bench::{Bench, Measured, Own, Refusal};
use crate::budget::{Budget, enough};
use crate::clock::now_ns;
use crate::free;
use group::Tasks;
use link::Link;
use tare_proto::{Better, Counter, Unit};

/// Senders of a group, and receivers.
const CREW: usize = 20;

/// Messages that a sender writes to each receiver.
const LOOPS: usize = 100;

/// Bytes of a message.
const SIZE: usize = 100;

/// Most groups: 4000 tasks.
const MOST: u32 = 100;

/// Bytes of memory that a group takes: its tasks with what the kernel keeps for each, and what lies in its pipes.
const GROUP: u64 = 16 << 20;

/// A row of the family.
const fn row(
    name: &'static str,
    about: &'static str,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        estimator: "median",
        load: "groups",
        ..Bench::own(name, about, "hackbench", run)
    }
}

fn measure(own: &Own, tasks: Tasks, link: Link) -> Result<Measured, Refusal> {
    if own.load > MOST {
        return Err(Refusal::Unavailable(format!("{} groups are more than {MOST}", own.load)));
    }
    free::memory_for(own.load, "groups", GROUP)?;
    let messages = u64::from(own.load) * (CREW * CREW * LOOPS) as u64;
    let budget = Budget::new(now_ns(), own.limit.as_millis() as u64);
    let mut last = group::run(own.load, tasks, link)?; // warms up
    let mut samples = Vec::new();
    // On a layer where a run takes many times the limit, one run suffices.
    while samples.is_empty()
        || (last < own.limit.as_nanos() as u64)
            && !enough(samples.len(), own.samples, &budget, last, now_ns())
    {
        (last, _) = own
            .watch
            .sample(|| Ok::<_, Refusal>((group::run(own.load, tasks, link)?, messages)))?;
        samples.push(last as f64);
    }
    let counters = vec![Counter::new("messages", messages as f64)];
    Ok(Measured { samples, ops: messages, warmup: 1, counters })
}
