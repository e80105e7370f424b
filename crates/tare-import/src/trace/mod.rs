//! Traces of system calls that other tools took, as operations that a prediction is made of.
//!
//! A trace has no page faults, no waits and no user time; what it has of paths, sizes and kinds of files depends on the tool.

mod perf;
mod strace;

use crate::Fault;
use std::collections::{BTreeMap, BTreeSet};
use tare_proto::counter::UNKNOWN_CALLS;
use tare_proto::{Counter, OPERATION_COUNTER, kib_class};

/// What a trace says of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// How often each operation was made.
    pub operations: BTreeMap<&'static str, f64>,
    /// Calls that belong to no class.
    pub unknown: f64,
    /// The calls, by name.
    pub calls: BTreeSet<String>,
    /// What this tool's traces lack, for a sentence.
    pub lacks: &'static str,
}

/// Most distinct names of calls: no kernel has as many.
const MOST_CALLS: usize = 1000;

/// Reads the output of `strace -f -y` or the summary of `perf trace -s`.
///
/// # Errors
/// A text that is neither, or that lacks what has to be there; with the place.
pub fn trace(text: &str) -> Result<Trace, Fault> {
    if perf::is_one(text) { perf::read(text) } else { strace::read(text) }
}

impl Trace {
    fn add(&mut self, name: &'static str, times: f64) {
        if times > 0.0 {
            *self.operations.entry(name).or_default() += times;
        }
    }

    fn add_bytes(&mut self, name: &'static str, bytes: f64) {
        if let Some(kib) = kib_class(name, bytes) {
            self.add(kib, bytes / 1024.0);
        }
    }

    fn add_unknown(&mut self, times: f64) {
        self.unknown += times;
        self.add("null", times);
    }

    /// `times` operations called `name` on paths of so many components.
    fn add_paths(&mut self, name: &'static str, components: f64, times: f64) {
        self.add(name, times);
        self.add("component", (components - 1.0).max(0.0) * times);
    }

    fn saw(&mut self, call: &str) {
        if self.calls.len() < MOST_CALLS {
            self.calls.insert(call.to_owned());
        }
    }

    /// The same as counters beside a series have it.
    pub fn counters(&self) -> Vec<Counter> {
        let operations = self.operations.iter();
        let operations = operations
            .map(|(name, times)| Counter::new(&format!("{OPERATION_COUNTER}{name}"), *times));
        operations.chain([Counter::new(UNKNOWN_CALLS, self.unknown)]).collect()
    }
}
