//! Turns: a measurement waits between its samples while other layers take theirs.
//!
//! The wait is inside the measurement, where the next sample would begin: what is prepared stays as it is, and a
//! benchmark needs to know nothing of it.

use crate::budget;
use crate::clock::now_ns;
use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;

/// A turn that the host has granted.
#[derive(Clone, Copy)]
pub struct Granted {
    /// Samples of it.
    pub samples: u32,
    /// Whether it is the last one.
    pub last: bool,
}

/// Says how long a sample takes, in nanoseconds, asks for the next turn and waits for it; `None` when there is none.
type Ask = Box<dyn FnMut(u64) -> Option<Granted>>;

/// What ends a measurement that the host has given up, as the payload of a panic.
pub struct Dropped;

/// The turns of one measurement.
pub struct Turns {
    ask: Option<RefCell<Ask>>,
    /// Samples left in this turn.
    left: Cell<u32>,
    /// Whether no turn follows this one.
    last: Cell<bool>,
    sample_ns: Cell<u64>,
    /// Samples of every turn so far.
    taken: RefCell<Vec<u32>>,
}

impl Turns {
    /// All samples at once.
    pub fn none() -> Turns {
        Turns {
            ask: None,
            left: Cell::new(0),
            last: Cell::new(false),
            sample_ns: Cell::new(0),
            taken: RefCell::default(),
        }
    }

    /// Samples as `ask` grants them.
    pub fn granted(ask: impl FnMut(u64) -> Option<Granted> + 'static) -> Turns {
        Turns { ask: Some(RefCell::new(Box::new(ask))), ..Turns::none() }
    }

    /// A sample takes about `ns` nanoseconds: the host chooses by that how many make a turn.
    pub fn prepared(&self, ns: u64) {
        self.sample_ns.set(ns);
    }

    /// Whether they are granted at all: then they decide how many samples there are.
    pub fn are_granted(&self) -> bool {
        self.ask.is_some()
    }

    /// Whether the last turn is over.
    pub fn are_over(&self) -> bool {
        self.last.get() && self.left.get() == 0
    }

    /// A sample is about to begin; waits when the last turn is over. Whether a turn begins with it: caches and
    /// predictors are then full of what other layers did.
    pub fn next_sample(&self) -> bool {
        let Some(ask) = &self.ask else { return false };
        let begins = self.left.get() == 0;
        if begins {
            let before = now_ns();
            let granted = ask.borrow_mut()(self.sample_ns.get());
            budget::pause(now_ns() - before);
            let Some(granted) = granted else { resume_unwind(Box::new(Dropped)) };
            self.left.set(granted.samples.max(1));
            self.last.set(granted.last);
            self.taken.borrow_mut().push(0);
        }
        self.left.set(self.left.get() - 1);
        if let Some(last) = self.taken.borrow_mut().last_mut() {
            *last += 1;
        }
        begins
    }

    /// How many samples each turn holds, when all of `samples` have been taken.
    pub fn taken(&self, samples: usize) -> Vec<u32> {
        let taken = self.taken.borrow().clone();
        let all: u64 = taken.iter().map(|turn| u64::from(*turn)).sum();
        if all == samples as u64 { taken } else { Vec::new() }
    }
}
