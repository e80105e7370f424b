//! How many runs of a program a boot makes: the number at which the blocks that a time budget has left narrow its interval most, and how
//! narrow that will be.

use super::allocation::{OF_RATIO, Wanted};
use super::budget::Budget;
use super::samples::Samples;
use crate::plan::setup::Setup;
use crate::plan::slot::Key;
use crate::record::found::Expected;
use crate::record::history::History;
use std::time::Duration;
use tare_stats::{half_width_of, median};
use tare_store::Role;

/// The variance of a block's log ratio that more runs do not reduce, as a share of that of one run. Measured: 0.3% between boots and
/// 1.2% between runs (docs/programs.md).
const BETWEEN: f64 = 0.06;

/// Most runs of a boot.
const MOST: u32 = 45;

/// The factor from a median absolute deviation to a standard deviation, and from the standard error of a mean to that of a median, of
/// normal values.
const OF_DEVIATION: f64 = 1.4826;
const OF_MEDIAN: f64 = 1.2533;

/// Of the intervals that are planned for.
const CONFIDENCE: f64 = 0.95;

/// Rounds that tell a spread.
const TELLING: usize = 8;

/// How many times as long a run may take on another layer, before any is known.
const UNKNOWN: f64 = 1.5;

/// Largest budget that is proposed, in halves of the one that was given.
const LARGEST: u32 = 60;

/// What a block costs, in seconds.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// Its boots, and the runs that warm them up.
    fixed: f64,
    /// One run more in each of its boots.
    run: f64,
}

/// Blocks that are done, and seconds for more of them.
#[derive(Debug, Clone, Copy)]
struct Rest {
    done: u32,
    /// The sum of their [`variance`]s.
    variances: f64,
    seconds: f64,
}

impl Rest {
    /// More blocks that fit into the time, if each of them has so many `runs`.
    fn more(self, cost: Cost, runs: u32) -> u32 {
        (self.seconds / (cost.fixed + cost.run * f64::from(runs)).max(1e-3)) as u32
    }

    /// The half-width of a row's interval at the end, as a multiple of the standard deviation of one run; infinite where there is no
    /// interval.
    fn width(self, cost: Cost, runs: u32) -> f64 {
        let more = self.more(cost, runs);
        let blocks = self.done + more;
        let sum = self.variances + f64::from(more) * variance(runs);
        half_width_of((sum / f64::from(blocks.max(1))).sqrt(), blocks as usize, CONFIDENCE)
    }

    /// The number of runs with the narrowest interval, and that interval's half-width.
    fn best(self, cost: Cost) -> (u32, f64) {
        let each = (1..=MOST).map(|runs| (runs, self.width(cost, runs)));
        each.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((1, f64::INFINITY))
    }
}

/// The variance of the log ratio of a block of so many `runs`, as a multiple of that of one run.
fn variance(runs: u32) -> f64 {
    BETWEEN + 1.0 / f64::from(runs)
}

/// The number of runs of each program that is `wanted` in the next block; none where the reader gave a number, or blocks are counted.
pub(crate) fn runs(setup: &Setup, history: &History, wanted: &Wanted, budget: &Budget) -> Samples {
    let rows = rows(setup);
    match budget.left().filter(|_| !rows.is_empty()) {
        Some(seconds) => {
            let (runs, _) = rest(setup, history, seconds).best(cost(setup, history, wanted));
            let cost = |bench: &usize| run_of_all(setup, history, wanted, *bench);
            let costs: Vec<f64> = rows.iter().map(cost).collect();
            rows.into_iter().zip(shared(runs, &costs)).collect()
        }
        None => Samples::new(),
    }
}

/// Runs of each row, whose `costs` are those of a run, in the time of so many `runs` of all: in proportion to the inverse square root of its
/// cost, which gives the least sum of variances where a run of each varies alike (Cochran, *Sampling Techniques*, 1977, 5.5).
fn shared(runs: u32, costs: &[f64]) -> Vec<u32> {
    let roots: Vec<f64> = costs.iter().map(|cost| cost.max(1e-6).sqrt()).collect();
    let whole: f64 = roots.iter().map(|root| root * root).sum();
    let each = f64::from(runs) * whole / roots.iter().sum::<f64>();
    roots.iter().map(|root| (each / root).round().clamp(1.0, f64::from(MOST)) as u32).collect()
}

/// What the blocks so far have told of programs, where there are `seconds` for more.
fn rest(setup: &Setup, history: &History, seconds: f64) -> Rest {
    let rows = rows(setup);
    let of_block = |block: u32| {
        let key = |bench| Key { block, layer: setup.baseline(), role: Role::Weigh, bench };
        let kept = rows.iter().filter_map(|&bench| history.series.get(&key(bench)));
        let runs: Vec<f64> = kept.map(|kept| variance(kept.samples.max(1) as u32)).collect();
        (!runs.is_empty()).then(|| runs.iter().sum::<f64>() / runs.len() as f64)
    };
    let known: Vec<f64> = (0..history.begun()).filter_map(of_block).collect();
    Rest { done: known.len() as u32, variances: known.iter().sum(), seconds }
}

/// The rows of programs whose number of runs is not given.
fn rows(setup: &Setup) -> Vec<usize> {
    (0..setup.benches.len()).filter(|&bench| setup.is_run_as_often_as_it_pays(bench)).collect()
}

/// Seconds that one run more takes on `layer`, which runs the program less often if it takes longer than the baseline
/// ([`Turns::rounds_of`](super::turns::Turns::rounds_of)).
fn further_run(setup: &Setup, history: &History, layer: usize, bench: usize) -> f64 {
    let of = |layer| run_seconds(setup, history, layer, bench);
    of(layer).min(of(setup.baseline()))
}

/// The same on all boots of a block that measures what is `wanted`.
fn run_of_all(setup: &Setup, history: &History, wanted: &Wanted, bench: usize) -> f64 {
    let taken = wanted.iter().filter(|(_, benches)| benches.contains(&bench));
    taken.map(|(&layer, _)| setup.boots(layer) * further_run(setup, history, layer, bench)).sum()
}

/// Seconds of so many `runs` on `layer`, with those that are thrown away.
pub(crate) fn series_seconds(
    setup: &Setup,
    history: &History,
    layer: usize,
    bench: usize,
    runs: u32,
) -> f64 {
    let first = f64::from(setup.warmup(bench) + 1) * run_seconds(setup, history, layer, bench);
    first + f64::from(runs.saturating_sub(1)) * further_run(setup, history, layer, bench)
}

/// What a block costs that measures what is `wanted`.
fn cost(setup: &Setup, history: &History, wanted: &Wanted) -> Cost {
    let rows = rows(setup);
    let mut cost = Cost { fixed: 0.0, run: 0.0 };
    for (&layer, benches) in wanted {
        let boots = setup.boots(layer);
        let trial = setup.layers[layer].trial_s.unwrap_or(0.0);
        cost.fixed += boots * history.overhead(layer).unwrap_or(trial);
        for bench in benches {
            if !rows.contains(bench) {
                let known = history.series_seconds(layer, *bench);
                cost.fixed += boots * known.unwrap_or(setup.limit_ms(*bench) as f64 / 1000.0);
                continue;
            }
            let further = further_run(setup, history, layer, *bench);
            cost.fixed += boots * (series_seconds(setup, history, layer, *bench, 1) - further);
            cost.run += boots * further;
        }
    }
    cost
}

/// Seconds of one run of the program of `bench` on `layer`.
fn run_seconds(setup: &Setup, history: &History, layer: usize, bench: usize) -> f64 {
    let info = &setup.benches[bench];
    let rehearsed = info.series_ms as f64 / 1000.0 / f64::from(info.samples + setup.warmup(bench));
    let known = history.sample_seconds(layer, bench, setup.warmup(bench));
    known.unwrap_or(if layer == setup.baseline() { rehearsed } else { UNKNOWN * rehearsed })
}

/// As soon as some rounds tell, and once: how narrow the intervals of programs will be on each layer, and which budget would make them narrow
/// enough: to show that a layer costs nothing, or to say what it costs as exactly as anybody needs.
pub(crate) fn expected(setup: &Setup, history: &History, budget: &Budget) -> Vec<Expected> {
    let rows = rows(setup);
    let Some(seconds) = budget.left().filter(|_| !history.runs.is_empty()) else {
        return Vec::new();
    };
    let able = setup.able();
    let all = able.iter().map(|&layer| (layer, (0..setup.benches.len()).collect()));
    let cost = cost(setup, history, &all.collect());
    let narrowest = |seconds: f64| rest(setup, history, seconds).best(cost).1;
    let given = seconds + budget.used();
    let of_layer = |&layer: &usize| {
        let told = rows.iter().filter_map(|&bench| Told::of(setup, history, layer, bench));
        let widest = told.max_by(|a, b| a.width().total_cmp(&b.width()))?;
        let enough = widest.enough;
        let half_width = widest.spread * narrowest(seconds);
        let does =
            |times: &f64| widest.spread * narrowest(seconds + (times - 1.0) * given) <= enough;
        let mut times = (3..=LARGEST).map(|halves| f64::from(halves) / 2.0);
        let times = times.find(does).filter(|_| half_width > enough);
        let needed = times.map(|times| Duration::from_secs_f64(times * given));
        let layer = setup.layers[layer].name.clone();
        half_width.is_finite().then_some(Expected { layer, half_width, enough, needed })
    };
    able.iter().filter(|layer| **layer != setup.baseline()).filter_map(of_layer).collect()
}

/// What the rounds so far tell of a program on a layer.
struct Told {
    /// The standard deviation of the log ratio of one run to the baseline's runs in the same round, for the median of many.
    spread: f64,
    /// The half-width that is narrow enough.
    enough: f64,
}

impl Told {
    /// `None` with fewer than [`TELLING`] rounds.
    fn of(setup: &Setup, history: &History, layer: usize, bench: usize) -> Option<Told> {
        let base = setup.baseline();
        let of_block = |block: u32| -> Vec<f64> {
            let logs = |layer: usize, role: Role| {
                let key = Key { block, layer, role, bench };
                history.series.get(&key).map_or(&[][..], |kept| &kept.logs)
            };
            let own = logs(layer, Role::Weigh).iter();
            let bases = logs(base, Role::Weigh).iter().zip(logs(base, Role::Floor));
            own.zip(bases).map(|(own, (first, second))| own - (first + second) / 2.0).collect()
        };
        let logs: Vec<f64> = (0..history.begun()).flat_map(of_block).collect();
        let middle = median(&logs).ok().filter(|_| logs.len() >= TELLING)?;
        let away: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
        let spread = OF_MEDIAN * OF_DEVIATION * median(&away).ok()?;
        Some(Told { spread, enough: (setup.plan.margin / 2.0).max(OF_RATIO * middle.abs()) })
    }

    /// The spread as a multiple of what is narrow enough.
    fn width(&self) -> f64 {
        self.spread / self.enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(fixed: f64, run: f64, seconds: f64) -> (u32, u32) {
        let cost = Cost { fixed, run };
        let rest = Rest { done: 0, variances: 0.0, seconds };
        let (runs, _) = rest.best(cost);
        (runs, rest.more(cost, runs))
    }

    #[test]
    fn short_runs_are_many_in_some_blocks_and_long_ones_few_in_three() {
        let (runs, blocks) = chosen(2.5, 0.8, 60.0);
        assert!((4..=10).contains(&runs) && (6..=9).contains(&blocks), "{runs} in {blocks}");
        let (runs, blocks) = chosen(10.0, 8.0, 60.0);
        assert_eq!((runs, blocks), (1, 3), "two degrees of freedom before more runs");
        assert_eq!(chosen(10.0, 8.0, 5.0), (1, 0), "whatever the budget");
        let (runs, _) = chosen(1.0, 0.001, 600.0);
        assert!(runs >= 20, "{runs}");
    }

    #[test]
    fn long_rows_have_fewer_runs_in_the_same_time() {
        assert_eq!(shared(4, &[1.0, 1.0]), [4, 4]);
        let costs = [0.1, 0.1, 0.4, 6.4];
        let runs = shared(2, &costs);
        assert_eq!(runs, [12, 12, 6, 1]);
        assert_eq!(shared(1, &[1e-6, 10.0]), [MOST, 1]);
        assert_eq!(shared(3, &[0.0]), [3], "whatever a history says");
    }

    #[test]
    fn the_last_block_uses_what_is_left_and_makes_up_for_no_earlier_one() {
        let cost = Cost { fixed: 3.0, run: 2.0 };
        let after = |runs: u32, seconds| Rest { done: 4, variances: 4.0 * variance(runs), seconds };
        let (runs, width) = after(3, 9.5).best(cost);
        assert_eq!((runs, after(3, 9.5).more(cost, runs)), (3, 1));
        assert!(width < after(3, 0.0).width(cost, 3), "a fifth block narrows it");
        let (runs, _) = after(3, 50.0).best(cost);
        assert!(after(3, 50.0).more(cost, runs) >= 4, "{runs} runs");
        assert!(Rest { done: 1, ..after(3, 0.0) }.width(cost, 3).is_infinite());
    }
}
