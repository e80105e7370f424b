//! The overhead of the harness on an operation: the same loop, timed in turns by the harness and by hand-written code.

use crate::bench::repeat;
use crate::clock::now_ns;
use crate::harness::{median, time};
use std::hint::black_box;

/// Operations in a batch.
const OPS: u64 = 10_000;

/// Batches of each kind.
const ROUNDS: usize = 1001;

/// One line per operation: harness, hand-written loop, in nanoseconds per operation, and the
/// difference: each the median of the rounds, the difference taken within a round.
pub fn report() -> String {
    let mut counter = 0u64;
    let lines = [
        line("null call", null_call),
        // A counter that the compiler may not reason about: the loop stays, and nothing else.
        line("empty operation", move || counter = black_box(counter + 1)),
    ];
    lines.concat()
}

fn null_call() {
    // SAFETY: getppid has no preconditions.
    unsafe { libc::getppid() };
}

fn line<F: FnMut() + Clone + 'static>(name: &str, operation: F) -> String {
    let mut batch = repeat(operation.clone());
    let mut by_hand = operation;
    let mut harness = Vec::with_capacity(ROUNDS);
    let mut hand = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        harness.push(time(&mut batch, OPS) as f64 / OPS as f64);
        hand.push(written_by_hand(&mut by_hand) as f64 / OPS as f64);
    }
    let differences: Vec<f64> = harness.iter().zip(&hand).map(|(a, b)| a - b).collect();
    let added = median(&differences);
    let harness = median(&harness);
    let hand = median(&hand);
    format!("{name:16} harness {harness:8.3} ns  by hand {hand:8.3} ns  added {added:6.3} ns\n")
}

/// What one would write without a harness.
#[inline(never)]
fn written_by_hand(operation: &mut impl FnMut()) -> u64 {
    let start = now_ns();
    for _ in 0..OPS {
        operation();
    }
    now_ns() - start
}
