//! Counting beside samples that are not a loop's: marks for a counter outside of the guest, or perf events of this
//! process and its children.

use crate::mark;
use crate::perf::Events;
use crate::turns::Turns;
use std::cell::Cell;
use tare_proto::{Counter, Turn};

/// What counts while samples are taken. The events belong to processes that are made after it.
pub struct Watch {
    events: Option<Events>,
    ops: Cell<u64>,
    turns: Turns,
}

impl Watch {
    /// Marks the samples of request `id`, which are taken in `turns`.
    pub fn marking(id: u32, turns: Turns) -> Watch {
        mark::series(id, 1.0);
        mark::batch(0, 1.0, 0);
        Watch { events: None, ops: Cell::new(0), turns }
    }

    /// Counts perf events, which cost the samples something.
    pub fn events() -> Watch {
        Watch { events: Some(Events::stopped()), ..Watch::nothing() }
    }

    /// Neither.
    pub fn nothing() -> Watch {
        Watch { events: None, ops: Cell::new(0), turns: Turns::none() }
    }

    /// Waits until its turn has come.
    pub fn turn(&self) {
        self.turns.next_sample();
    }

    /// Whether no turn follows.
    pub fn is_over(&self) -> bool {
        self.turns.are_over()
    }

    /// Here a sample begins.
    pub fn begin(&self) {
        if let Some(events) = &self.events {
            events.go_on();
        }
        mark::begin();
    }

    /// Here it ends, after `ops` operations.
    pub fn end(&self, ops: u64) {
        mark::end();
        if let Some(events) = &self.events {
            events.stop();
        }
        mark::done(ops);
        self.ops.set(self.ops.get() + ops);
    }

    /// Takes a sample, when its turn has come: a value, and the operations in it.
    pub fn sample<T, E>(&self, take: impl FnOnce() -> Result<(T, u64), E>) -> Result<(T, u64), E> {
        self.turns.next_sample();
        self.begin();
        let taken = take();
        self.end(taken.as_ref().map_or(0, |(_, ops)| *ops));
        taken
    }

    /// The turns that `samples` samples were taken in, which nothing is subtracted from.
    pub fn turns(&self, samples: usize) -> Vec<Turn> {
        let taken = self.turns.taken(samples).into_iter();
        taken.map(|samples| Turn { samples, subtracted: 0.0 }).collect()
    }

    /// The events of one operation.
    pub fn counters(&self) -> Vec<Counter> {
        let ops = self.ops.get().max(1) as f64;
        self.events.as_ref().map_or_else(Vec::new, |events| events.counted(ops))
    }
}
