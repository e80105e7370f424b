//! sysbench threads: an event locks, yields and unlocks a thousand times, on the next of eight mutexes.

use super::{events, row};
use crate::bench::{Bench, Measured, Own, Refusal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "sysbench/threads",
    "sysbench threads: 1000 times lock, yield, unlock on one of 8 mutexes make one event",
    Unit::PerSecond,
    run,
);

/// Yields of an event.
const YIELDS: usize = 1000;

/// Mutexes that events take in turn.
const LOCKS: usize = 8;

fn run(own: &Own) -> Result<Measured, Refusal> {
    let locks: [Mutex<()>; LOCKS] = [const { Mutex::new(()) }; LOCKS];
    let done = AtomicUsize::new(0);
    events(own, vec![(); own.load as usize], |()| {
        let lock = &locks[done.fetch_add(1, Ordering::Relaxed) % LOCKS];
        for _ in 0..YIELDS {
            let held = lock.lock();
            yield_now();
            drop(held);
        }
    })
}
