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
    operations: BTreeMap<&'static str, f64>,
    /// By number.
    calls: BTreeMap<u64, f64>,
    /// Of calls that were seen and may stand for others: what they were, and by number.
    seen_operations: BTreeMap<&'static str, f64>,
    seen_calls: BTreeMap<u64, f64>,
    /// How many calls were seen at all.
    seen: f64,
}

impl Tally {
    /// A call is seen, by its number.
    pub fn call(&mut self, number: u64) {
        self.seen += 1.0;
        *self.seen_calls.entry(number).or_default() += 1.0;
    }

    /// A call is heard of as an event, as each of its kind is: it stands for itself, and was not seen begin.
    pub fn call_of_event(&mut self, number: u64) {
        *self.calls.entry(number).or_default() += 1.0;
    }

    /// Calls that were seen.
    pub fn seen(&self) -> f64 {
        self.seen
    }

    /// Adds `times` operations called `name`, of a call that was seen.
    pub fn add(&mut self, name: &'static str, times: f64) {
        if times > 0.0 {
            *self.seen_operations.entry(name).or_default() += times;
        }
    }

    /// Adds `times` operations of which every one is seen.
    pub fn add_all(&mut self, name: &'static str, times: f64) {
        if times > 0.0 {
            *self.operations.entry(name).or_default() += times;
        }
    }

    /// Adds a call without a class.
    pub fn add_unknown(&mut self) {
        self.add(UNKNOWN, 1.0);
        self.add("null", 1.0);
    }

    /// Each call that was seen since the last time stands for so many.
    pub fn stand_for(&mut self, each: f64) {
        for (name, times) in std::mem::take(&mut self.seen_operations) {
            *self.operations.entry(name).or_default() += each * times;
        }
        for (number, times) in std::mem::take(&mut self.seen_calls) {
            *self.calls.entry(number).or_default() += each * times;
        }
    }

    /// All that was counted.
    pub fn counters(&self) -> Vec<Counter> {
        let calls = self.calls.iter().map(|(number, times)| {
            Counter::new(&format!("{CALLS}{}", call_names::of(*number)), *times)
        });
        let operations = self.operations.iter().map(|(name, times)| match *name {
            UNKNOWN => Counter::new(UNKNOWN, *times),
            name => Counter::new(&format!("{OPERATION_COUNTER}{name}"), *times),
        });
        calls.chain(operations).collect()
    }
}
