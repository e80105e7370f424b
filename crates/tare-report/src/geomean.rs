//! Geometric means by suite and layer, of what measures the same.

use crate::board::{Geomean, Measure, Ratio, Verdict};
use crate::cell::{Weighed, verdict};
use crate::floor::Floors;
use crate::options::Options;
use tare_proto::{BenchInfo, Better};
use tare_stats::{Best, RatioInterval, RowInput, ratio_point, suite_geomean_sparse, verdicts};
use tare_store::Campaign;

/// A suite's rows that measure the same.
struct Group {
    suite: String,
    measure: Measure,
    rows: Vec<usize>,
}

/// The geometric means of every group on every layer: `weighed[row][layer]`, `layers` their names.
pub(crate) fn geomeans(
    weighed: &[Vec<Weighed>],
    layers: &[&str],
    campaign: &Campaign,
    by_host: &[bool],
    floors: &Floors,
    options: &Options,
) -> Vec<Geomean> {
    let benchmarks = &campaign.benchmarks;
    let mut means = Vec::new();
    let mut intervals = Vec::new();
    for group in groups(benchmarks, by_host) {
        for (at, layer) in layers.iter().enumerate() {
            let rows: Vec<(&Weighed, Better)> =
                group.rows.iter().map(|&row| (&weighed[row][at], benchmarks[row].better)).collect();
            let Some((cost, used, interval)) = mean(&rows, options.confidence) else { continue };
            means.push(Geomean {
                suite: group.suite.clone(),
                measure: group.measure,
                layer: (*layer).to_owned(),
                cost,
                rows: used,
                left_out: rows.len() - used,
                verdict: Verdict::None,
            });
            intervals.push(interval);
        }
    }
    judge(&mut means, &intervals, floors, options);
    means
}

fn groups(benchmarks: &[BenchInfo], by_host: &[bool]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, bench) in benchmarks.iter().enumerate().filter(|(row, _)| !by_host[*row]) {
        let measure = Measure::of(bench.unit);
        match groups.iter_mut().find(|g| g.suite == bench.suite && g.measure == measure) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { suite: bench.suite.clone(), measure, rows: vec![row] }),
        }
    }
    groups
}

/// The mean cost, the rows it rests on, and its interval when there are two blocks.
fn mean(
    rows: &[(&Weighed, Better)],
    confidence: f64,
) -> Option<(Ratio, usize, Option<RatioInterval>)> {
    let costs: Vec<Vec<Option<f64>>> = rows
        .iter()
        .filter(|(weighed, _)| weighed.logs.iter().any(Option::is_some))
        .map(|(weighed, better)| {
            weighed.logs.iter().map(|log| Some(cost((*log)?, *better))).collect()
        })
        .collect();
    if let Ok(suite) = suite_geomean_sparse(&costs, confidence) {
        return Some(((&suite.interval).into(), suite.rows, Some(suite.interval)));
    }
    let (bottom, top): (Vec<f64>, Vec<f64>) = rows
        .iter()
        .flat_map(|(weighed, better)| weighed.pairs.iter().map(|pair| oriented(*pair, *better)))
        .unzip();
    let point = ratio_point(&bottom, &top).ok()?;
    Some((Ratio { blocks: 1, ..point.into() }, costs.len(), None))
}

/// A log ratio as a cost: above 0 is worse.
fn cost(log: f64, better: Better) -> f64 {
    match better {
        Better::Lower => log,
        Better::Higher => -log,
    }
}

fn oriented((baseline, layer): (f64, f64), better: Better) -> (f64, f64) {
    match better {
        Better::Lower => (baseline, layer),
        Better::Higher => (layer, baseline),
    }
}

/// Verdicts on the means, a family of their own, bounded by the floor over all benchmarks.
fn judge(
    means: &mut [Geomean],
    intervals: &[Option<RatioInterval>],
    floors: &Floors,
    options: &Options,
) {
    let floor = floors.overall.bound.map_or(0.0, f64::ln).max(0.0);
    let at: Vec<usize> = (0..means.len()).filter(|&i| intervals[i].is_some()).collect();
    let inputs: Vec<RowInput> = intervals
        .iter()
        .flatten()
        .map(|&interval| RowInput { interval, margin: options.margin, floor, best: Best::Lowest })
        .collect();
    let answers = verdicts(&inputs, options.correction, 1.0 - options.confidence);
    for (&i, answer) in at.iter().zip(&answers) {
        means[i].verdict = verdict(answer.verdict).0;
    }
}
