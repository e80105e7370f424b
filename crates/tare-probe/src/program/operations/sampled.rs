//! Calls whose results say what they were, of a program that makes many: the first ones are all looked at, and of the others
//! about every eighth, which stands for those since the one before. A look stops the program a second time.
//!
//! Which ones are looked at is random, so that no rhythm of the program's hides anything; how many there were stays exact.

use crate::numbers;
use tare_proto::kib_class;

/// So many of each call are all looked at.
const FIRST: u64 = 1024;

/// The longest way from one look to the next; the mean is half of that.
const LONGEST: u64 = 15;

/// What a call was: operations, and how many of each.
pub type Outcome = [(&'static str, f64); 3];

/// Nothing more.
pub const NO_MORE: (&str, f64) = ("", 0.0);

/// An operation of this `name`, and no more.
pub fn one(name: &'static str) -> Outcome {
    [(name, 1.0), NO_MORE, NO_MORE]
}

/// The operation `name` that moved so many bytes.
pub fn transfer(name: &'static str, bytes: u64) -> Outcome {
    let bytes = bytes as f64;
    let kib = kib_class(name, bytes).map_or(NO_MORE, |kib| (kib, bytes / 1024.0));
    [(name, 1.0), kib, NO_MORE]
}

pub struct Sampled {
    seen: u64,
    /// Since the last look.
    since: u64,
    /// Until the next one.
    left: u64,
    random: u64,
    /// What was found at the last look.
    last: Outcome,
}

impl Default for Sampled {
    fn default() -> Sampled {
        Sampled { seen: 0, since: 0, left: 1, random: numbers::SEED, last: [NO_MORE; 3] }
    }
}

impl Sampled {
    /// A call begins; for how many calls it stands if it is to be looked at.
    pub fn begins(&mut self) -> Option<f64> {
        self.seen += 1;
        self.since += 1;
        self.left -= 1;
        if self.left > 0 {
            return None;
        }
        self.left = if self.seen < FIRST {
            1
        } else {
            1 + (numbers::next(&mut self.random) >> 11) % LONGEST
        };
        Some(std::mem::take(&mut self.since) as f64)
    }

    pub fn found(&mut self, outcome: Outcome) {
        self.last = outcome;
    }

    /// The calls that no look stands for, and what they are taken for.
    pub fn rest(&self) -> (Outcome, f64) {
        (self.last, self.since as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found of `calls`, and how many looks that took.
    fn found(calls: impl Iterator<Item = &'static str>) -> (f64, f64, u64) {
        let (mut sampled, mut hits, mut misses, mut looks) = (Sampled::default(), 0.0, 0.0, 0);
        let mut add = |(outcome, times): (Outcome, f64)| match outcome[0].0 {
            "hit" => hits += times,
            _ => misses += times,
        };
        for call in calls {
            if let Some(times) = sampled.begins() {
                sampled.found(one(call));
                add((one(call), times));
                looks += 1;
            }
        }
        add(sampled.rest());
        (hits, misses, looks)
    }

    #[test]
    fn as_many_are_found_as_were_made_with_an_eighth_of_the_looks() {
        let (hits, misses, looks) = found((0..100_000).map(|_| "hit"));
        assert_eq!((hits, misses), (100_000.0, 0.0));
        assert!((12_000..14_500).contains(&looks), "{looks}");
        assert_eq!(found((0..1000).map(|at| if at % 7 == 0 { "hit" } else { "miss" })).0, 143.0);
    }

    #[test]
    fn a_rhythm_of_the_program_hides_nothing() {
        for rhythm in [2, 4, 8, 16] {
            let calls = (0..100_000).map(|at| if at % rhythm == 0 { "hit" } else { "miss" });
            let (hits, misses, _) = found(calls);
            assert_eq!(hits + misses, 100_000.0);
            let right = 100_000.0 / rhythm as f64;
            assert!((hits / right - 1.0).abs() < 0.12, "{hits} of {right}");
        }
    }
}
