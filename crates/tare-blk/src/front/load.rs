//! Keeps a device busy: so many requests at a time, one after another along the disk, and how long each took.

use super::{Effort, Way};
use crate::error::Error;
use hdrhistogram::Histogram;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a queue asks for.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Bytes of a request.
    pub block: u32,
    /// Requests at a time.
    pub depth: usize,
    /// Whether it writes.
    pub write: bool,
    /// Where its part of the disk begins, in bytes.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
}

/// How far all queues are.
#[derive(Debug, Default)]
pub struct Phase(AtomicU8);

const WARMING: u8 = 0;
const MEASURED: u8 = 1;
const OVER: u8 = 2;

impl Phase {
    /// From now on requests count, unless a queue has failed already.
    pub fn measure(&self) {
        let _ = self.0.compare_exchange(WARMING, MEASURED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// No more requests are begun.
    pub fn end(&self) {
        self.0.store(OVER, Ordering::Relaxed);
    }

    /// Whether it is over, as a queue that failed says, too.
    pub fn over(&self) -> bool {
        self.0.load(Ordering::Relaxed) == OVER
    }
}

/// What a queue did while requests counted.
pub struct Tally {
    /// Requests that finished.
    pub requests: u64,
    /// How long each took, in nanoseconds.
    pub latency: Histogram<u64>,
    /// What it took beside that.
    pub effort: Effort,
}

/// An empty histogram of latencies, up to a minute, to a thousandth.
pub fn latencies() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds that a histogram can have")
}

/// Drives one queue until the phase is over and its last request has come back. `held` is what other queues hold while they
/// touch their rings.
pub fn drive(
    way: &mut dyn Way,
    load: &Load,
    phase: &Phase,
    held: Option<&Mutex<()>>,
    patience: Duration,
) -> Result<Tally, Error> {
    let end = keep_busy(way, load, phase, held, patience);
    if end.is_err() {
        phase.end();
    }
    end
}

fn keep_busy(
    way: &mut dyn Way,
    load: &Load,
    phase: &Phase,
    held: Option<&Mutex<()>>,
    patience: Duration,
) -> Result<Tally, Error> {
    let mut tally = Tally { requests: 0, latency: latencies(), effort: Effort::default() };
    let mut idle: Vec<usize> = (0..load.depth).collect();
    let mut begun = vec![Instant::now(); load.depth];
    let mut done = Vec::with_capacity(load.depth);
    let mut next = load.from;
    let mut before = None;
    loop {
        let stage = phase.0.load(Ordering::Relaxed);
        match stage {
            MEASURED if before.is_none() => before = Some(way.effort()),
            OVER if idle.len() == load.depth => break,
            _ => {}
        }
        {
            let _held = held.map(|held| held.lock().unwrap_or_else(PoisonError::into_inner));
            if stage != OVER && !idle.is_empty() {
                let now = Instant::now();
                for slot in idle.drain(..) {
                    begun[slot] = now;
                    way.begin(slot, next)?;
                    next = following(load, next);
                }
            }
            way.send()?;
            way.finished(&mut done)?;
        }
        if done.is_empty() {
            way.wait(patience)?;
            continue;
        }
        let now = Instant::now();
        for slot in done.drain(..) {
            if stage == MEASURED {
                tally.requests += 1;
                tally.latency.saturating_record((now - begun[slot]).as_nanos() as u64);
            }
            idle.push(slot);
        }
        if stage == MEASURED {
            tally.effort = way.effort().since(before.unwrap_or_default());
        }
    }
    Ok(tally)
}

/// The block after this one; after the last the first again.
fn following(load: &Load, at: u64) -> u64 {
    let next = at + u64::from(load.block);
    if next + u64::from(load.block) > load.to { load.from } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_each_other_and_begin_again_before_the_end() {
        let load =
            Load { block: 4096, depth: 1, write: false, from: 8192, to: 8192 + 3 * 4096 + 100 };
        let walked: Vec<u64> =
            std::iter::successors(Some(load.from), |at| Some(following(&load, *at)))
                .take(4)
                .collect();
        assert_eq!(walked, [8192, 12288, 16384, 8192]);
    }
}
