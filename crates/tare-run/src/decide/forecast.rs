//! Forecasts how long a block takes, and leaves out what does not fit into the budget.

use super::allocation::{Field, Wanted, whole_blocks};
use super::budget::{Budget, ENOUGH_BLOCKS};
use super::runs::series_seconds;
use crate::plan::one_cpu;
use crate::plan::sandbox_benches::is_row;
use crate::plan::setup::Setup;
use crate::record::history::History;
use crate::record::recorder::{Recorder, RunError};

/// Boots that take more than this part of the time that is left are not worth their measurements.
const BOOTS: f64 = 0.5;

/// As many trials a visit should take before the first is known.
const STARTS: f64 = 20.0;

/// Leaves out of the next block what does not fit into the budget any more; all of it when nothing does. The first
/// blocks, and all blocks of a sweep, stay whole or are not begun.
pub(crate) fn fit(
    recorder: &mut Recorder,
    wanted: &mut Wanted,
    budget: &Budget,
) -> Result<(), RunError> {
    let done = recorder.history.whole();
    if let Some(share) = budget.share(done).filter(|_| done < ENOUGH_BLOCKS) {
        leave_out(recorder, wanted, share);
        warn_of_left_out(recorder)?;
    }
    fit_last(recorder.setup, &recorder.history, wanted, budget);
    Ok(())
}

/// Leaves benchmarks out of this run, the last of the scoreboard first, until a block takes no more than `share` seconds: so
/// few blocks are no use to any row. All of a sweep's are needed; some stay however long they take.
fn leave_out(recorder: &mut Recorder, wanted: &mut Wanted, share: f64) {
    let setup = recorder.setup;
    if setup.plan.sweep.is_some() {
        return;
    }
    let mut rows: Vec<usize> = wanted.values().flatten().copied().collect();
    rows.sort_unstable();
    rows.dedup();
    rows.retain(|&row| !setup.is_of_host(row));
    while predicted(setup, &recorder.history, wanted) > share && rows.len() > 1 {
        let Some(last) = rows.pop() else { return };
        wanted.values_mut().for_each(|rows| rows.retain(|row| *row != last));
        recorder.history.left_out.insert(last);
    }
}

/// Warns of what is left out, and again where more is.
pub(crate) fn warn_of_left_out(recorder: &mut Recorder) -> Result<(), RunError> {
    let left_out = recorder.history.left_out.len();
    let said = std::mem::replace(&mut recorder.history.left_out_said, left_out);
    if left_out == 0 || left_out == said {
        return Ok(());
    }
    let all = recorder.setup.benches.len();
    let text = match said {
        0 => format!(
            "the budget has no time for {ENOUGH_BLOCKS} blocks of all {all} benchmarks: {left_out} are left out or measured in \
             fewer blocks; a larger --budget, or fewer layers or benchmarks, measures all"
        ),
        _ => format!(
            "the budget turned out to have no time for {} more benchmarks: in all, {left_out} of {all} are left out or measured in \
             fewer blocks",
            left_out - said
        ),
    };
    recorder.warn(None, &text)
}

fn fit_last(setup: &Setup, history: &History, wanted: &mut Wanted, budget: &Budget) {
    let done = history.whole();
    if budget.allows(done, predicted(setup, history, wanted)) {
        return;
    }
    let in_parts = done >= whole_blocks(setup) && setup.plan.sweep.is_none();
    let Some(left) = budget.left().filter(|_| in_parts) else {
        return wanted.clear();
    };
    let layers: Vec<usize> = wanted.keys().copied().collect();
    let field = Field::of(setup, &layers);
    let width = |bench| field.widest(history, bench);
    fit_into(wanted, setup.baseline(), left, |wanted| predicted(setup, history, wanted), width);
}

/// Seconds that a block should take.
pub(crate) fn predicted(setup: &Setup, history: &History, wanted: &Wanted) -> f64 {
    let seconds = |(layer, benches): (&usize, &Vec<usize>)| {
        let boots = setup.boots(*layer);
        let on_one = one_cpu::rows(setup, *layer, benches);
        let on_one = match on_one.is_empty() {
            true => 0.0,
            false => boot_seconds(setup, history, *layer, &on_one),
        };
        boots * boot_seconds(setup, history, *layer, benches) + on_one
    };
    wanted.iter().map(seconds).sum()
}

/// Seconds that a boot of `layer` should take that measures `benches`.
fn boot_seconds(setup: &Setup, history: &History, layer: usize, benches: &[usize]) -> f64 {
    let usual = |bench: usize| setup.limit_ms(bench) as f64 / 1000.0 / 2.0;
    let known = |bench: usize| history.series_seconds(layer, bench);
    let series = |&bench: &usize| match history.runs.get(&bench) {
        Some(runs) => series_seconds(setup, history, layer, bench, *runs),
        None => known(bench).unwrap_or_else(|| usual(bench)),
    };
    let trial = setup.layers[layer].trial_s.unwrap_or(0.0);
    let start = history.overhead(layer).unwrap_or(trial);
    let (visited, asked): (Vec<usize>, Vec<usize>) =
        benches.iter().copied().partition(|&bench| is_row(&setup.benches[bench]));
    let visit = || history.visit_seconds(layer).unwrap_or(STARTS * trial);
    let visit = if visited.is_empty() { 0.0 } else { visit() };
    let boot = if asked.is_empty() && !visited.is_empty() { 0.0 } else { start };
    visit + boot + asked.iter().map(series).sum::<f64>()
}

/// Leaves out the layers whose boots are too dear for the time that is `left`, then benchmarks, those with the narrowest
/// intervals first, until the block is `predicted` to fit.
fn fit_into(
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
        fit_into(&mut wanted, 0, left, predicted, |bench| bench as f64);
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
