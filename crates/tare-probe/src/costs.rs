//! What the terms of an operation cost, and the series that follows from them.

use tare_proto::{Counter, Series, Turn};

/// A correction is the mean of the best of this part of its costs, as `best-18-of-30` reduces the
/// samples that it corrects: noise only adds, to both alike.
const CORRECTION_KEEPS: f64 = 0.6;

/// What every term of an operation cost, as it was measured.
pub struct Costs {
    /// One entry a sample: the nanoseconds of one operation of each term.
    pub taken: Vec<Vec<f64>>,
    /// How many of them each turn holds; empty when they were taken at once.
    pub turns: Vec<u32>,
    /// How each term counts.
    pub signs: Vec<f64>,
    /// Values are divided by this.
    pub per: f64,
    /// Operations of the first term in a batch.
    pub ops: u64,
    /// Batches thrown away.
    pub warmup: u32,
    /// A batch was shorter than a hundred times the clock's resolution.
    pub short_batch: bool,
    /// What stands beside the series.
    pub counters: Vec<Counter>,
    /// What should be known of it.
    pub note: String,
}

impl Costs {
    /// The first term's costs as samples, corrected by the others.
    pub fn series(self, loop_ns: f64) -> Series {
        let cost = |term: usize| best_mean(self.taken.iter().map(|costs| costs[term]).collect());
        let correction: f64 = (1..self.signs.len()).map(|term| self.signs[term] * cost(term)).sum();
        let turns = self.turns();
        Series {
            turns,
            samples: self.taken.iter().map(|costs| (costs[0] + correction) / self.per).collect(),
            subtracted: 0.0 - correction / self.per,
            ops: self.ops,
            warmup: self.warmup,
            loop_ns,
            short_batch: self.short_batch,
            counters: self.counters,
            note: self.note,
            ..Series::default()
        }
    }

    /// The turns, each with the best of what was measured beside the operation in it.
    fn turns(&self) -> Vec<Turn> {
        let mut rest = self.taken.as_slice();
        let turn = |&samples: &u32| {
            let (own, others) = rest.split_at(samples as usize);
            rest = others;
            let best = |term: usize| own.iter().map(|costs| costs[term]).fold(f64::NAN, f64::min);
            let correction: f64 =
                (1..self.signs.len()).map(|term| self.signs[term] * best(term)).sum();
            Turn { samples, subtracted: 0.0 - correction / self.per }
        };
        self.turns.iter().map(turn).collect()
    }
}

/// The mean of the cheapest [`CORRECTION_KEEPS`] of `costs`, of which there is at least one.
fn best_mean(mut costs: Vec<f64>) -> f64 {
    costs.sort_by(f64::total_cmp);
    let kept = (costs.len() as f64 * CORRECTION_KEEPS).ceil() as usize;
    costs[..kept].iter().sum::<f64>() / kept as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(taken: Vec<Vec<f64>>, turns: Vec<u32>) -> Costs {
        Costs {
            taken,
            turns,
            signs: vec![1.0, -1.0],
            per: 2.0,
            ops: 7,
            warmup: 0,
            short_batch: false,
            counters: Vec::new(),
            note: String::new(),
        }
    }

    #[test]
    fn what_is_subtracted_is_the_mean_of_its_best_and_in_a_turn_the_best() {
        let others = [30.0, 10.0, 20.0, 500.0, 400.0];
        let taken = others.iter().map(|other| vec![120.0, *other]).collect();
        let series = costs(taken, vec![2, 3]).series(0.0);
        assert_eq!(series.samples, [50.0; 5], "120 less the mean of 10, 20 and 30, halved");
        assert_eq!(series.subtracted, 10.0);
        let turns: Vec<_> = series.turns.iter().map(|t| (t.samples, t.subtracted)).collect();
        assert_eq!(turns, [(2, 5.0), (3, 10.0)], "10 and 20, halved");
    }
}
