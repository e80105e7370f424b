//! Latencies of requests, counted by size: percentiles to 1.6% without keeping each one.

use tare_proto::Counter;

/// Sizes are told apart by this many bits after the first.
const BITS: u32 = 6;

/// Counts for every size that a `u64` can have.
const CELLS: usize = (64 - BITS as usize + 1) << BITS;

/// The percentiles that are reported.
const PERCENTILES: [(&str, f64); 4] = [
    ("latency_ns/p50", 0.5),
    ("latency_ns/p90", 0.9),
    ("latency_ns/p99", 0.99),
    ("latency_ns/p99.9", 0.999),
];

/// How many requests took how long.
pub struct Latencies {
    counts: Vec<u64>,
    all: u64,
}

impl Latencies {
    /// None yet.
    pub fn new() -> Latencies {
        Latencies { counts: vec![0; CELLS], all: 0 }
    }

    /// Adds one, in nanoseconds.
    pub fn add(&mut self, ns: u64) {
        self.counts[cell(ns)] += 1;
        self.all += 1;
    }

    /// Those of all threads.
    pub fn sum(all: &[Latencies]) -> Latencies {
        let mut sum = Latencies::new();
        for one in all {
            sum.counts.iter_mut().zip(&one.counts).for_each(|(sum, more)| *sum += more);
            sum.all += one.all;
        }
        sum
    }

    /// The percentiles, as counters.
    pub fn counters(&self) -> Vec<Counter> {
        PERCENTILES.iter().map(|(name, part)| Counter::new(name, self.percentile(*part))).collect()
    }

    /// The latency that `part` of the requests did not exceed.
    pub fn percentile(&self, part: f64) -> f64 {
        let wanted = (self.all as f64 * part).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        found.map_or(0.0, middle)
    }
}

/// The cell of `ns`: below 2^BITS each size has its own, from there on 2^BITS share a power of two.
fn cell(ns: u64) -> usize {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(BITS + 1);
    ((shift as usize) << BITS) + (ns >> shift) as usize
}

/// The middle of a cell, in nanoseconds.
fn middle(cell: usize) -> f64 {
    let shift = (cell >> BITS).saturating_sub(1) as u32;
    let low = (cell - ((shift as usize) << BITS)) as u64;
    let width = (1u64 << shift) as f64;
    low as f64 * width + (width - 1.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_a_sixty_fourth_at_every_size() {
        for scale in [1, 1000, 1_000_000_007] {
            let mut halves = [Latencies::new(), Latencies::new()];
            (1..=1000u64).for_each(|at| halves[at as usize % 2].add(at * scale));
            let all = Latencies::sum(&halves);
            for (part, wanted) in [(0.5, 500), (0.99, 990), (0.999, 999), (1.0, 1000)] {
                let ratio = all.percentile(part) / (wanted * scale) as f64;
                assert!((ratio - 1.0).abs() < 1.0 / 64.0, "{part} of {scale}: {ratio}");
            }
        }
        assert_eq!(Latencies::new().percentile(0.5), 0.0);
    }

    #[test]
    fn cells_are_in_order_and_hold_what_falls_into_them() {
        let sizes = (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) + (1 << bit >> 3)]);
        let cells: Vec<usize> = sizes.map(cell).collect();
        assert!(cells.is_sorted() && cell(u64::MAX) < CELLS);
        assert!(
            (0..CELLS).all(|at| cell(middle(at) as u64) == at || middle(at) >= u64::MAX as f64)
        );
    }
}
