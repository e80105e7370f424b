//! Predicts how long a block takes, and leaves out what does not fit into the budget.

use crate::allocate::{self, Wanted};
use crate::budget::{Budget, ENOUGH_BLOCKS};
use crate::host_benches::HOST_BENCHES;
use crate::runner::{RunError, Runner};
use crate::sandbox_benches::is_row;

/// Boots that take more than this part of the time that is left are not worth their measurements.
const BOOTS: f64 = 0.5;

/// As many trials a visit should take before the first is known.
const STARTS: f64 = 20.0;

impl Runner<'_> {
    /// Leaves out of the next block what does not fit into the budget any more; all of it when nothing does. The first
    /// blocks, and all blocks of a sweep, stay whole or are not begun.
    pub(crate) fn fit(&mut self, wanted: &mut Wanted, budget: &Budget) -> Result<(), RunError> {
        let done = self.history.whole();
        if let Some(share) = budget.share(done).filter(|_| done < ENOUGH_BLOCKS) {
            self.leave_out(wanted, share);
            self.say_left_out()?;
        }
        self.fit_last(wanted, budget);
        Ok(())
    }

    /// Leaves benchmarks out of this run, the last of the scoreboard first, until a block takes no more than `share` seconds: so
    /// few blocks are no use to any row. All of a sweep's are needed; some stay however long they take.
    fn leave_out(&mut self, wanted: &mut Wanted, share: f64) {
        if self.plan.sweep.is_some() {
            return;
        }
        let mut rows: Vec<usize> = wanted.values().flatten().copied().collect();
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|&row| !self.is_of_boot(row));
        while self.predicted(wanted) > share && rows.len() > 1 {
            let Some(last) = rows.pop() else { return };
            wanted.values_mut().for_each(|rows| rows.retain(|row| *row != last));
            self.history.left_out.insert(last);
        }
    }

    /// Warns once of what is left out.
    pub(crate) fn say_left_out(&mut self) -> Result<(), RunError> {
        let left_out = self.history.left_out.len();
        if left_out == 0 || left_out == std::mem::replace(&mut self.history.left_out_said, left_out)
        {
            return Ok(());
        }
        let text = format!(
            "the budget has no time for {ENOUGH_BLOCKS} blocks of all {} benchmarks: {left_out} are left out or measured in fewer \
             blocks; a larger --budget, or fewer layers or benchmarks, measures all",
            self.benches.len(),
        );
        self.warn(None, &text)
    }

    /// Whether a benchmark is known of every boot, without asking its probe.
    pub(crate) fn is_of_boot(&self, bench: usize) -> bool {
        HOST_BENCHES.iter().any(|host| host.name == self.benches[bench].name)
    }

    fn fit_last(&self, wanted: &mut Wanted, budget: &Budget) {
        let done = self.history.whole();
        if budget.allows(done, self.predicted(wanted)) {
            return;
        }
        let in_parts = done >= allocate::WHOLE_BLOCKS && self.plan.sweep.is_none();
        let Some(left) = budget.left().filter(|_| in_parts) else {
            return wanted.clear();
        };
        let layers: Vec<usize> = wanted.keys().copied().collect();
        let field = self.field(&layers);
        let width = |bench| field.widest(&self.history, bench);
        fit(wanted, self.baseline(), left, |wanted| self.predicted(wanted), width);
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
        let trial = self.layers[layer].trial_s.unwrap_or(0.0);
        let start = self.history.overhead(layer).unwrap_or(trial);
        let (visited, asked): (Vec<usize>, Vec<usize>) =
            benches.iter().copied().partition(|&bench| is_row(&self.benches[bench]));
        let visit = || self.history.visit_seconds(layer).unwrap_or(STARTS * trial);
        let visit = if visited.is_empty() { 0.0 } else { visit() };
        let boot = if asked.is_empty() && !visited.is_empty() { 0.0 } else { start };
        visit + boot + asked.iter().map(series).sum::<f64>()
    }

    /// Time for one series of a benchmark, in milliseconds: its own, or the plan's.
    pub(crate) fn limit_ms(&self, bench: usize) -> u64 {
        match self.benches[bench].series_ms {
            0 => self.plan.series_ms,
            own => own,
        }
    }
}

/// Leaves out the layers whose boots are too dear for the time that is `left`, then benchmarks, those with the narrowest
/// intervals first, until the block is `predicted` to fit.
fn fit(
    wanted: &mut Wanted,
    baseline: usize,
    left: f64,
    predicted: impl Fn(&Wanted) -> f64,
    width: impl Fn(usize) -> f64,
) {
    let boot = |layer: usize| predicted(&Wanted::from([(layer, Vec::new())]));
    let boots = |wanted: &Wanted| wanted.keys().map(|layer| boot(*layer)).sum::<f64>();
    let pairs = wanted.len() > 1;
    while boots(wanted) > BOOTS * left {
        let others = wanted.keys().filter(|layer| **layer != baseline);
        let dearest = others.max_by(|a, b| boot(**a).total_cmp(&boot(**b))).copied();
        let Some(dearest) = dearest else { return wanted.clear() };
        wanted.remove(&dearest);
    }
    let mut benches: Vec<usize> = wanted.values().flatten().copied().collect();
    benches.sort_by(|a, b| width(*a).total_cmp(&width(*b)).then(a.cmp(b)));
    benches.dedup();
    for narrowest in benches {
        if predicted(wanted) <= left {
            break;
        }
        wanted.values_mut().for_each(|benches| benches.retain(|bench| *bench != narrowest));
        wanted.retain(|_, benches| !benches.is_empty());
    }
    if pairs && wanted.len() < 2 {
        wanted.clear(); // there is nothing left to divide by the baseline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boots take 1, 2 and 10 s; a row takes 1 s a layer. Row 0 is the narrowest.
    fn fitted(left: f64) -> Wanted {
        let mut wanted: Wanted = (0..3).map(|layer| (layer, vec![0, 1, 2])).collect();
        let cost = |(layer, benches): (&usize, &Vec<usize>)| {
            [1.0, 2.0, 10.0][*layer] + benches.len() as f64
        };
        let predicted = |wanted: &Wanted| wanted.iter().map(cost).sum::<f64>();
        fit(&mut wanted, 0, left, predicted, |bench| bench as f64);
        wanted
    }

    #[test]
    fn the_last_block_holds_what_is_widest_and_fits() {
        let all = vec![0, 1, 2];
        assert_eq!(fitted(26.0), Wanted::from([(0, all.clone()), (1, all.clone()), (2, all)]));
        let fewer = Wanted::from([(0, vec![1, 2]), (1, vec![1, 2])]);
        assert_eq!(fitted(7.0), fewer, "a boot of ten seconds is not worth it");
        assert_eq!(fitted(6.0), Wanted::from([(0, vec![2]), (1, vec![2])]));
        assert!(fitted(5.0).is_empty(), "boots take most of it");
        assert!(fitted(0.0).is_empty());
    }
}
