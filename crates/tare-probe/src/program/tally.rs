//! How often each operation and each call was made.

use super::call_names;
use std::collections::BTreeMap;
use tare_proto::{Counter, OPERATION_COUNTER};

/// How the names of calls' counters begin.
const CALLS: &str = "perf/calls/";

/// Calls that no class knows, which a prediction says.
const UNKNOWN: &str = "op_unknown";

/// The counts of one run.
#[derive(Default)]
pub struct Tally {
    /// By number.
    pub calls: BTreeMap<u64, u64>,
    operations: BTreeMap<&'static str, f64>,
    unknown: f64,
}

impl Tally {
    /// Adds `times` operations called `name`.
    pub fn add(&mut self, name: &'static str, times: f64) {
        if times > 0.0 {
            *self.operations.entry(name).or_default() += times;
        }
    }

    /// Adds a call without a class.
    pub fn add_unknown(&mut self) {
        self.unknown += 1.0;
        self.add("null", 1.0);
    }

    /// All that was counted.
    pub fn counters(&self) -> Vec<Counter> {
        let calls = self.calls.iter().map(|(number, times)| {
            Counter::new(&format!("{CALLS}{}", call_names::of(*number)), *times as f64)
        });
        let operations = self.operations.iter();
        let operations = operations
            .map(|(name, times)| Counter::new(&format!("{OPERATION_COUNTER}{name}"), *times));
        let unknown = (self.unknown > 0.0).then(|| Counter::new(UNKNOWN, self.unknown));
        calls.chain(operations).chain(unknown).collect()
    }
}
