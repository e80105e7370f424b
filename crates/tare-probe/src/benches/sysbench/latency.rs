//! How long events took, in buckets that are 6% wide.

use tare_proto::Counter;

/// Buckets of one power of two.
const STEPS: u64 = 16;

/// Counts of events by their time in nanoseconds.
pub struct Latencies {
    buckets: Box<[u64; 64 * STEPS as usize]>,
}

impl Latencies {
    /// None yet.
    pub fn new() -> Latencies {
        Latencies { buckets: Box::new([0; 64 * STEPS as usize]) }
    }

    /// Counts an event that took `ns`.
    pub fn add(&mut self, ns: u64) {
        self.buckets[bucket(ns)] += 1;
    }

    /// Those of all threads.
    pub fn sum(all: &[Latencies]) -> Latencies {
        let mut sum = Latencies::new();
        for one in all {
            sum.buckets.iter_mut().zip(one.buckets.iter()).for_each(|(sum, more)| *sum += more);
        }
        sum
    }

    /// The counter `latency_pN`: the time that N percent of the events took at most.
    pub fn percentile(&self, percent: u64) -> Counter {
        let wanted = (self.buckets.iter().sum::<u64>() * percent).div_ceil(100);
        let mut seen = 0;
        let found = self.buckets.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        Counter::new(&format!("latency_p{percent}"), found.map_or(0.0, |at| end(at as u64)))
    }
}

/// Below `STEPS` a bucket is a nanosecond; above, a sixteenth of a power of two.
fn bucket(ns: u64) -> usize {
    let power = u64::from(63 - (ns | STEPS).leading_zeros()) - 4;
    (power * STEPS + ((ns >> power) & (STEPS - 1)) + if ns < STEPS { 0 } else { STEPS }) as usize
}

/// The largest time in a bucket.
fn end(bucket: u64) -> f64 {
    if bucket < STEPS {
        return bucket as f64;
    }
    let (power, step) = ((bucket - STEPS) / STEPS, bucket % STEPS);
    ((STEPS + step + 1) as f64) * 2f64.powi(power as i32) - 1.0
}
