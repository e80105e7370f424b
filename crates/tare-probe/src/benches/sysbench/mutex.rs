//! sysbench mutex: a thread counts to 10000, takes one of 4096 mutexes at random, counts in it, and lets
//! it go. The original's 50000 turns take as long as its result says; here turns per second are.

use super::row;
use crate::bench::{Bench, Measured, Own, Refusal};
use crate::numbers;
use crate::window;
use std::hint::black_box;
use std::sync::Mutex;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "sysbench/mutex",
    "sysbench mutex: count to 10000, then lock one of 4096 mutexes at random and unlock it",
    Unit::PerSecond,
    run,
);

/// Mutexes, each in a cache line of its own.
const LOCKS: usize = 4096;

/// Counted before each lock.
const LOOPS: u32 = 10_000;

#[repr(align(64))]
#[derive(Default)]
struct Counted(Mutex<u64>);

fn run(own: &Own) -> Result<Measured, Refusal> {
    let locks: Vec<Counted> = (0..LOCKS).map(|_| Counted::default()).collect();
    let states = (0..u64::from(own.load)).map(|at| 0x9e37_79b9_7f4a_7c15 + at).collect();
    window::threads(own, states, |state: &mut u64, turns| {
        for _ in 0..turns {
            for count in 0..LOOPS {
                black_box(count);
            }
            let lock = &locks[numbers::next(state) as usize % LOCKS];
            *lock.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        }
    })
}
