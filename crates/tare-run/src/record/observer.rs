//! The events that a running campaign reports to its observer.

use super::found::{Expected, FoundLoads, SoFar, Trial};
use std::time::Duration;
use tare_layers::Unavailable;
use tare_store::Role;

/// An event.
#[derive(Debug)]
pub enum Event<'a> {
    /// A layer is being tried. Repeated while the trial goes on.
    Trying {
        /// Its name.
        layer: &'a str,
        /// How long the trial has taken so far.
        since: Duration,
        /// How long the layer may take until its probe answers.
        within: Duration,
    },
    /// A layer has been tried: it runs here, or why not.
    Tried {
        /// Its name.
        layer: &'a str,
        /// Its place among those that are tried, from 0.
        at: usize,
        /// What came of it.
        outcome: &'a Result<Trial, Unavailable>,
    },
    /// A load is being tried, to see where the curve ends.
    Searching {
        /// The benchmark's name with the load.
        name: &'a str,
        /// The layer that it is tried on.
        layer: &'a str,
    },
    /// A program is run once before the campaign.
    Rehearsing {
        /// Its row.
        name: &'a str,
        /// The layer that it is run on.
        layer: &'a str,
    },
    /// The loads of a benchmark have been found.
    Loads(&'a FoundLoads),
    /// A block begins.
    Block {
        /// Its number, from 1.
        number: u32,
        /// How many there will be, as far as is known.
        of: u32,
        /// Boots in it.
        boots: usize,
    },
    /// What the budget will decide, as far as the first block tells.
    Expected(&'a Expected),
    /// What the campaign tells while it goes on; not empty.
    SoFar(&'a [SoFar]),
    /// A layer is being booted.
    Boot {
        /// Its name.
        layer: &'a str,
        /// Why.
        role: Role,
        /// 1, or 2 after a failure.
        attempt: u32,
    },
    /// A benchmark is being measured.
    Benchmark {
        /// Its name.
        name: &'a str,
        /// Its place in this boot, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// A benchmark is being measured by layers that take turns.
    Turns {
        /// Its name.
        name: &'a str,
        /// Its place in this block, from 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// Boots that take turns.
        layers: usize,
    },
    /// A row is being watched from outside, in a boot of its own.
    Watching {
        /// The layer.
        layer: &'a str,
        /// The row.
        name: &'a str,
        /// Its place in this boot, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// A layer is started, once or many times, to see what that costs.
    Visit {
        /// Its name.
        layer: &'a str,
        /// What is done with it: `warm starts`, `4 at once`.
        step: &'a str,
        /// The step's place in this block, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// A boot ended early.
    BootFailed {
        /// The layer.
        layer: &'a str,
        /// Why.
        why: &'a str,
        /// Whether it is tried again.
        again: bool,
    },
    /// A boot or a benchmark ended; how much of the campaign is done and how long the rest should take.
    Progress {
        /// From 0 to 1.
        done: f64,
        /// The rest, estimated.
        left: Duration,
    },
    /// A warning.
    Warning(&'a str),
}

/// Watches a campaign.
pub trait Observer {
    /// Handles an event. It must return quickly: nothing is measured meanwhile, but the budget runs.
    fn event(&mut self, event: Event);
}

/// An observer that ignores everything.
impl Observer for () {
    fn event(&mut self, _: Event) {}
}
