//! Geometric means over a layer's rows, for campaigns whose blocks are unrelated.

use super::board::By;
use super::row::Pairing;
use super::side::{self, Common, Side};
use crate::board::{Figures, Geomean, Measure, Ratio, Verdict};
use crate::options::Options;
use crate::ratio::judge::verdict;
use crate::ratio::subtracted::MOST;
use crate::ratio::support::Support;
use tare_proto::Better;
use tare_stats::{
    Best, RatioInterval, RowInput, RowVerdict, suite_geomean_sparse, unpaired_geomean, verdicts,
};

/// The means of every layer, each layer's by suite and what is measured; their verdicts are a family of their own.
pub(super) fn geomeans(
    sides: &[Side; 2],
    common: &Common,
    by: By,
    (rows, judged): (&[Vec<Pairing>], &[Vec<Option<RowVerdict>>]),
    options: &Options,
) -> Vec<Vec<Geomean>> {
    let mut means: Vec<Vec<(Geomean, RatioInterval)>> = common
        .layers
        .iter()
        .map(|&layer| of_layer(sides, &common.benches, by, layer, options))
        .collect();
    let benchmarks = &sides[0].campaign.benchmarks;
    let support = |at: usize, mean: &Geomean| {
        let of_row =
            |(bench, (pairing, judged)): (&[usize; 2], (&Pairing, &Option<RowVerdict>))| {
                let info = &benchmarks[bench[0]];
                let same = info.suite == mean.suite && Measure::of(info.unit) == mean.measure;
                let counts = same && !sides[0].values.by_host[bench[0]] && pairing.whole.is_none();
                let log = pairing.interval.filter(|_| counts)?.log_ratio;
                let log = if info.better == Better::Higher { -log } else { log };
                Some((log, judged.map_or(Verdict::None, |judged| verdict(judged.verdict).0)))
            };
        let rows = rows[at].iter().zip(&judged[at]);
        Support::of(common.benches.iter().zip(rows).filter_map(of_row))
    };
    let bound = |at: usize, layer: [usize; 2]| {
        let benches = common.benches.iter();
        let bases = benches.map(|bench| sides[at].values.bases(layer[at], bench[at])).collect();
        sides[at].floors.overall_bound(bases)
    };
    let (margin, best) = (options.margin, Best::Lowest);
    let inputs: Vec<RowInput> = common
        .layers
        .iter()
        .zip(&means)
        .flat_map(|(&layer, means)| {
            let floor = bound(0, layer).max(bound(1, layer));
            let input = move |interval| RowInput { interval, margin, floor, best, layer: 0 };
            means.iter().map(move |(_, interval)| input(*interval))
        })
        .collect();
    let answers = verdicts(&inputs, options.correction, 1.0 - options.confidence);
    let places = means.iter_mut().enumerate();
    let all = places.flat_map(|(at, layer)| layer.iter_mut().map(move |(mean, _)| (at, mean)));
    for ((at, mean), answer) in all.zip(answers) {
        let support = support(at, mean);
        (mean.undecided, mean.carried) = (support.open, support.carried());
        if mean.verdict != Verdict::Identical {
            (mean.verdict, mean.shown) = (support.bound(verdict(answer.verdict).0), answer.shown);
        }
    }
    means.into_iter().map(|layer| layer.into_iter().map(|(mean, _)| mean).collect()).collect()
}

/// The means of the baseline's own values, where it is divided out: what the host did between the campaigns.
pub(super) fn control(
    sides: &[Side; 2],
    common: &Common,
    by: By,
    options: &Options,
) -> Vec<Geomean> {
    let Some(layer) = common.control.filter(|_| by == By::Cost) else { return Vec::new() };
    let means = of_layer(sides, &common.benches, By::Value, layer, options);
    means.into_iter().map(|(mean, _)| mean).collect()
}

fn of_layer(
    sides: &[Side; 2],
    benches: &[[usize; 2]],
    by: By,
    layer: [usize; 2],
    options: &Options,
) -> Vec<(Geomean, RatioInterval)> {
    let mut groups: Vec<(String, Measure, Vec<[usize; 2]>)> = Vec::new();
    // What the host measures around the whole layer would drown the rest, as on a scoreboard.
    for &bench in benches.iter().filter(|bench| !sides[0].values.by_host[bench[0]]) {
        let info = &sides[0].campaign.benchmarks[bench[0]];
        let measure = Measure::of(info.unit);
        match groups.iter_mut().find(|(suite, m, _)| *suite == info.suite && *m == measure) {
            Some((_, _, rows)) => rows.push(bench),
            None => groups.push((info.suite.clone(), measure, vec![bench])),
        }
    }
    let mean = |(suite, measure, rows): (String, Measure, Vec<[usize; 2]>)| {
        let mostly = |bench: &[usize; 2]| {
            (0..2).any(|at| sides[at].subtracted(by, layer[at], bench[at]) > MOST)
        };
        let (left, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(mostly);
        let (interval, used, identical) = mean(sides, &rows, by, layer, options)?;
        let geomean = Geomean {
            suite: suite.into(),
            measure,
            layer: sides[0].campaign.layers[layer[0]].name.clone(),
            cost: Ratio::from(&interval),
            figures: Figures::default(),
            shared: None,
            rows: used,
            left_out: rows.len() - used,
            subtracted: left.len(),
            undecided: 0,
            carried: 0.0,
            shown: None,
            verdict: if identical { Verdict::Identical } else { Verdict::None },
        };
        Some((geomean, interval))
    };
    groups.into_iter().filter_map(mean).collect()
}

/// After / before over the rows that have two blocks in both campaigns, how many those are, and whether every value is the
/// same.
fn mean(
    sides: &[Side; 2],
    rows: &[[usize; 2]],
    by: By,
    layer: [usize; 2],
    options: &Options,
) -> Option<(RatioInterval, usize, bool)> {
    let logs = |at: usize, bench: [usize; 2]| -> Vec<Option<f64>> {
        let better = sides[at].campaign.benchmarks[bench[at]].better;
        let sign = if better == Better::Higher { -1.0 } else { 1.0 };
        let blocks = sides[at].per_block(by, layer[at], bench[at]).into_iter();
        blocks.map(|value| Some(sign * value?.ln())).collect()
    };
    let present = |row: &[Option<f64>]| row.iter().flatten().count() >= 2;
    let both: Vec<[Vec<Option<f64>>; 2]> = rows
        .iter()
        .map(|&bench| [logs(0, bench), logs(1, bench)])
        .filter(|[before, after]| present(before) && present(after))
        .collect();
    let of = |at: usize| {
        let side: Vec<_> = both.iter().map(|row| row[at].clone()).collect();
        suite_geomean_sparse(&side, options.confidence).ok()
    };
    let identical = both.iter().all(|[before, after]| before == after) && side::repeats(sides);
    Some((unpaired_geomean(&of(0)?, &of(1)?, options.confidence), both.len(), identical))
}
