//! What a campaign tells whoever watches it.

use crate::trial::Trial;
use std::time::Duration;
use tare_layers::Unavailable;
use tare_store::Role;

/// The loads of one benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The benchmark.
    pub benchmark: String,
    /// Upwards; at least one.
    pub loads: Vec<u32>,
    /// Why there are no larger ones: part of a sentence.
    pub end: String,
}

/// Something happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A layer is being tried; said again while that goes on.
    Trying {
        /// Its name.
        layer: &'a str,
        /// For how long already.
        since: Duration,
        /// How long it may take to greet.
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
    /// The loads of a benchmark have been found.
    Loads(&'a Found),
    /// A block begins.
    Block {
        /// Its number, from 1.
        number: u32,
        /// How many there will be, as far as is known.
        of: u32,
        /// Boots in it.
        boots: usize,
    },
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
    /// Something that should be known.
    Warning(&'a str),
}

/// Watches a campaign.
pub trait Observer {
    /// Something happened. Must return quickly: nothing is measured meanwhile, but time passes.
    fn event(&mut self, event: Event);
}

/// Nobody watches.
impl Observer for () {
    fn event(&mut self, _: Event) {}
}
