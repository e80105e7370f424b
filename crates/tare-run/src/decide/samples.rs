//! How many samples and rounds a row pays for: the number near what its benchmark asks for that narrows its interval most for
//! its cost (Kalibera and Jones 2013).

use super::allocation::{WHOLE_BLOCKS, Wanted};
use crate::plan::setup::Setup;
use crate::plan::slot::Key;
use crate::record::history::{History, Kept};
use std::collections::{BTreeMap, BTreeSet};
use tare_proto::{BenchInfo, MAX_SAMPLES};
use tare_stats::{Components, Costs, Estimator, components, optimum};
use tare_store::Role;

/// The smallest and the largest number of samples, as multiples of what the benchmark asks for.
const SAMPLES: (f64, f64) = (1.0 / 3.0, 2.0);

/// Fewest and most rounds of a row.
const TURNS: (f64, f64) = (8.0, 45.0);

/// Samples of a series, by benchmark.
pub(crate) type Samples = BTreeMap<usize, u32>;

/// The number of samples for every wanted benchmark where that differs from what the benchmark asks for: the number near it at
/// which variance times cost is least (Kalibera and Jones). All layers of a block get the same number, a whole multiple
/// of what the estimator reduces at once, because an estimator's expected value depends on the length of the series.
pub(crate) fn samples(history: &History, wanted: &Wanted, benches: &[BenchInfo]) -> Samples {
    let all: BTreeSet<usize> = wanted.values().flatten().copied().collect();
    let best = |bench: usize| {
        let layers: Vec<usize> =
            wanted.keys().copied().filter(|l| wanted[l].contains(&bench)).collect();
        let best = optimal(history, wanted, &layers, bench, |_, kept| kept.logs.clone())?;
        Some((bench, in_rounds(best, &benches[bench])))
    };
    all.into_iter().filter_map(best).collect()
}

/// The number of rounds for every wanted benchmark whose samples are batches of a loop, by the same rule. What varies within a block is
/// here the log ratio of one round.
pub(crate) fn rounds(history: &History, wanted: &Wanted, setup: &Setup) -> Samples {
    let baseline = setup.baseline();
    let mut all: BTreeSet<usize> = wanted.values().flatten().copied().collect();
    all.retain(|&bench| setup.benches[bench].series_ms == 0);
    // A layer that takes whole series has no rounds to choose.
    let turns = |layer: usize, bench: usize| {
        let of_row = |(key, kept): (&Key, &Kept)| {
            key.layer == layer
                && key.bench == bench
                && kept.measured.as_ref().is_some_and(|own| !own.turns.is_empty())
        };
        history.series.iter().any(of_row)
    };
    let logs = |key: &Key, kept: &Kept| -> Vec<f64> {
        let base = history.measured(key.block, baseline, Role::Weigh, key.bench);
        let (Some(own), Some(base)) = (&kept.measured, base) else { return Vec::new() };
        let logs = own.turns.iter().zip(&base.turns).map(|(own, base)| (own / base).ln());
        logs.filter(|log| log.is_finite()).collect()
    };
    let best = |bench: usize| {
        let others = wanted.keys().copied().filter(|layer| *layer != baseline);
        let layers: Vec<usize> =
            others.filter(|l| wanted[l].contains(&bench) && turns(*l, bench)).collect();
        let best = optimal(history, wanted, &layers, bench, logs).filter(|_| !layers.is_empty())?;
        Some((bench, best.clamp(TURNS.0, TURNS.1) as u32))
    };
    all.into_iter().filter_map(best).collect()
}

/// The number of samples at which the sum of all layers' variances, multiplied by the cost of all layers, is least. `None` until
/// enough is known of each layer. `logs` are the logarithms of a boot's samples.
fn optimal(
    history: &History,
    wanted: &Wanted,
    layers: &[usize],
    bench: usize,
    logs: impl Fn(&Key, &Kept) -> Vec<f64>,
) -> Option<f64> {
    let mut found =
        Components { boot: 0.0, process: None, sample: Some(0.0), boots: 0, clipped: false };
    let mut costs = Costs { boot: 0.0, process: 0.0, sample: 0.0 };
    for &layer in layers {
        let of_row =
            history.series.iter().filter(|(key, _)| key.layer == layer && key.bench == bench);
        let kept = of_row.map(|(key, kept)| (logs(key, kept), kept.seconds));
        let kept: Vec<(Vec<f64>, f64)> = kept.filter(|(logs, _)| logs.len() > 1).collect();
        if kept.len() < WHOLE_BLOCKS as usize {
            return None;
        }
        let boots: Vec<Vec<&[f64]>> = kept.iter().map(|(logs, _)| vec![logs.as_slice()]).collect();
        let own = components(&boots).ok()?;
        found.boot += own.boot;
        found.sample = found.sample.zip(own.sample).map(|(all, own)| all + own);
        let taken: usize = kept.iter().map(|(logs, _)| logs.len()).sum();
        costs.sample += kept.iter().map(|(_, seconds)| seconds).sum::<f64>() / taken as f64;
        costs.boot += history.overhead(layer)? / wanted[&layer].len() as f64;
    }
    optimum(&found, &costs).ok().map(|best| best.samples as f64)
}

/// `best`, rounded to a multiple of what the benchmark's estimator reduces at once (at least one), and kept near what the
/// benchmark asks for.
fn in_rounds(best: f64, bench: &BenchInfo) -> u32 {
    let asked = f64::from(bench.samples);
    let near = best.clamp(asked * SAMPLES.0, asked * SAMPLES.1);
    let round = bench.estimator.parse::<Estimator>().ok().and_then(|e| e.samples_wanted());
    let round = round.unwrap_or(1) as f64;
    let rounds = (near / round).round().max(1.0);
    (rounds * round).min(MAX_SAMPLES as f64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_proto::Series;
    use tare_store::{Outcome, Recorded};

    fn bench(estimator: &str, samples: u32) -> BenchInfo {
        BenchInfo { estimator: estimator.into(), samples, ..BenchInfo::default() }
    }

    /// Five blocks of two layers: within a boot the second varies much more than the first, between boots both alike.
    fn history(bench: &BenchInfo, swing: f64) -> History {
        let mut history = History::default();
        for block in 0..WHOLE_BLOCKS {
            for layer in [0, 1] {
                let middle = 100.0 + f64::from(block % 3);
                let wide = if layer == 0 { 0.1 } else { swing };
                let value = |n: u32| middle + if n.is_multiple_of(2) { wide } else { -wide };
                let samples = (0..bench.samples).map(value).collect();
                let series = Series { samples, ops: 1, ..Series::default() };
                let recorded = Recorded {
                    outcome: Outcome::Measured,
                    series,
                    host_ns: 30_000_000,
                    ..Recorded::without_samples("b", Outcome::Measured, "")
                };
                let key = Key { block, layer, role: Role::Weigh, bench: 0 };
                history.note(key, bench, &recorded, 1.0);
                history.note_overhead(layer, 0.2);
            }
        }
        history
    }

    /// The number that all layers of a block are asked for; there is only one.
    fn asked(estimator: &str, own: u32, swing: f64) -> u32 {
        let bench = bench(estimator, own);
        let wanted = Wanted::from([(0, vec![0]), (1, vec![0])]);
        samples(&history(&bench, swing), &wanted, &[bench])[&0]
    }

    #[test]
    fn a_row_has_whole_rounds_of_its_estimator_whatever_pays() {
        for swing in [0.1, 1.0, 5.0, 50.0] {
            for (estimator, own, round) in
                [("best-3-of-5", 5, 5), ("best-18-of-30", 30, 30), ("best-of-7", 7, 7)]
            {
                let asked = asked(estimator, own, swing);
                assert!(asked > 0 && asked.is_multiple_of(round), "{estimator}, {swing}: {asked}");
            }
        }
        assert!(asked("median", 30, 50.0) > asked("median", 30, 0.1), "noise within boots pays");
    }

    #[test]
    fn before_enough_is_known_a_row_has_the_samples_that_it_asks_for() {
        let wanted = Wanted::from([(0, vec![0]), (1, vec![0])]);
        assert!(samples(&History::default(), &wanted, &[bench("median", 11)]).is_empty());
    }
}
