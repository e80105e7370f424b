//! How often each operation and each call was made.

use std::collections::BTreeMap;
use tare_proto::counter::{CALLS, UNKNOWN_CALLS};
use tare_proto::{Counter, OPERATION_COUNTER, call_name};

/// Calls that start a program: each is heard of as an event.
const STARTS: [u64; 2] = [libc::SYS_execve as u64, libc::SYS_execveat as u64];

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
    /// A call is seen, by its number. One that starts a program is counted where its event tells of it, which not every way of
    /// looking sees begin.
    pub fn call(&mut self, number: u64) {
        self.seen += 1.0;
        if !STARTS.contains(&number) {
            *self.seen_calls.entry(number).or_default() += 1.0;
        }
    }

    /// A call is seen that is counted elsewhere.
    pub fn call_apart(&mut self) {
        self.seen += 1.0;
    }

    /// Calls are heard of as events, as each of their kind is: they stand for themselves, and were not seen begin.
    pub fn calls_of_events(&mut self, number: u64, times: f64) {
        if times > 0.0 {
            *self.calls.entry(number).or_default() += times;
        }
    }

    /// Whether the call of this number was seen, or heard of.
    pub fn has(&self, number: u64) -> bool {
        self.calls.contains_key(&number) || self.seen_calls.contains_key(&number)
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

    /// Adds `times` operations of which every one is seen; below 0 if a price holds that many too many.
    pub fn add_all(&mut self, name: &'static str, times: f64) {
        if times != 0.0 {
            *self.operations.entry(name).or_default() += times;
        }
    }

    /// Adds a call without a class.
    pub fn add_unknown(&mut self) {
        self.add(UNKNOWN_CALLS, 1.0);
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

    pub fn counters(&self) -> Vec<Counter> {
        let calls = self
            .calls
            .iter()
            .map(|(number, times)| Counter::new(&format!("{CALLS}{}", call_name(*number)), *times));
        let operations = self.operations.iter().map(|(name, times)| match *name {
            UNKNOWN_CALLS => Counter::new(UNKNOWN_CALLS, *times),
            name => Counter::new(&format!("{OPERATION_COUNTER}{name}"), *times),
        });
        calls.chain(operations).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_seen_begin_and_heard_of_counts_once() {
        let mut tally = Tally::default();
        tally.call(libc::SYS_getppid as u64);
        tally.call(STARTS[0]);
        tally.calls_of_events(STARTS[0], 1.0);
        tally.stand_for(1.0);
        let counted = tally.counters();
        let of = |name: &str| counted.iter().find(|c| c.name == name).map(|c| c.value);
        assert_eq!((of("perf/calls/execve"), of("perf/calls/getppid")), (Some(1.0), Some(1.0)));
        assert_eq!(tally.seen(), 2.0, "both were looked at");
    }

    #[test]
    fn what_was_seen_stands_for_others_and_what_is_always_seen_for_itself() {
        let mut tally = Tally::default();
        tally.call(libc::SYS_getppid as u64);
        tally.add("null", 1.0);
        tally.stand_for(1.0);
        (0..3).for_each(|_| tally.call(libc::SYS_getppid as u64));
        tally.add("null", 3.0);
        tally.add_unknown();
        tally.add_all("fork", 2.0);
        tally.add("lookup", 0.0);
        tally.stand_for(10.0);
        let mut found: Vec<_> = tally.counters().into_iter().map(|c| (c.name, c.value)).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let wanted = [
            ("op/fork", 2.0),
            ("op/null", 41.0),
            ("op_unknown", 10.0),
            ("perf/calls/getppid", 31.0),
        ];
        assert_eq!(found, wanted.map(|(name, value)| (name.to_owned(), value)));
    }
}
