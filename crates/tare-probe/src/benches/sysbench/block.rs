//! sysbench's memory events: every word of a block of 1 KiB that all threads share.

use super::events;
use crate::bench::{Measured, Own, Refusal};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of a block.
const WORDS: usize = 1024 / size_of::<u64>();

/// One block for all threads, as the original's scope `global`.
static BLOCK: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];

/// Reads or writes of the block, in bytes per second.
fn bytes(own: &Own, event: fn()) -> Result<Measured, Refusal> {
    let mut measured = events(own, vec![(); own.load as usize], |()| event())?;
    measured.samples.iter_mut().for_each(|rate| *rate *= (WORDS * size_of::<u64>()) as f64);
    Ok(measured)
}

/// Bytes per second that are read.
pub fn read(own: &Own) -> Result<Measured, Refusal> {
    bytes(own, || {
        for word in &BLOCK {
            black_box(word.load(Ordering::Relaxed));
        }
    })
}

/// Bytes per second that are written.
pub fn write(own: &Own) -> Result<Measured, Refusal> {
    bytes(own, || {
        for (at, word) in BLOCK.iter().enumerate() {
            word.store(black_box(at as u64), Ordering::Relaxed);
        }
    })
}
