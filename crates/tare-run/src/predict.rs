//! Predicts how long a block takes, and leaves out what does not fit into the budget.

use crate::allocate::{self, Wanted};
use crate::budget::Budget;
use crate::campaign::Runner;

impl Runner<'_> {
    /// Leaves out the most expensive layers until the block fits into the budget. Empty when nothing fits. A block that
    /// has to hold everything is not begun if it does not fit.
    pub(crate) fn fit(&self, wanted: &mut Wanted, budget: &Budget) {
        let done = self.history.whole();
        while !wanted.is_empty() && !budget.allows(done, self.predicted(wanted)) {
            let others = wanted.iter().filter(|(layer, _)| **layer != self.baseline());
            let cost =
                |(layer, benches): &(&usize, &Vec<usize>)| self.boot_seconds(**layer, benches);
            let dearest =
                others.max_by(|a, b| cost(a).total_cmp(&cost(b))).map(|(layer, _)| *layer);
            match dearest {
                Some(layer) if done >= allocate::WHOLE_BLOCKS && wanted.len() > 2 => {
                    wanted.remove(&layer);
                }
                _ => wanted.clear(),
            }
        }
    }

    /// Seconds that a block should take.
    pub(crate) fn predicted(&self, wanted: &Wanted) -> f64 {
        let seconds = |(layer, benches): (&usize, &Vec<usize>)| {
            let boots = if *layer == self.baseline() { 2.0 } else { 1.0 };
            boots * self.boot_seconds(*layer, benches)
        };
        wanted.iter().map(seconds).sum()
    }

    /// Seconds that a boot of `layer` should take that measures `benches`.
    fn boot_seconds(&self, layer: usize, benches: &[usize]) -> f64 {
        let usual = |bench: usize| self.limit_ms(bench) as f64 / 1000.0 / 2.0;
        let known = |bench: usize| self.history.series_seconds(layer, bench);
        let series = |&bench: &usize| known(bench).unwrap_or_else(|| usual(bench));
        let start = self.history.overhead(layer).or(self.layers[layer].trial_s).unwrap_or(0.0);
        start + benches.iter().map(series).sum::<f64>()
    }

    /// Time for one series of a benchmark, in milliseconds: its own, or the plan's.
    pub(crate) fn limit_ms(&self, bench: usize) -> u64 {
        match self.benches[bench].series_ms {
            0 => self.plan.series_ms,
            own => own,
        }
    }
}
