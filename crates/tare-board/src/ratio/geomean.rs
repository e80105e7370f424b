//! Geometric means by suite and layer, over rows of the same measure, at the smallest load of each benchmark.

use crate::board::{Figures, Geomean, Measure, Ratio, SharedMean, Verdict};
use crate::options::Options;
use crate::ratio::floor::Floors;
use crate::ratio::judge::verdict;
use crate::ratio::support::Support;
use crate::ratio::weigh::{CellRatio, Logs};
use crate::suite::load::plain;
use tare_proto::{BenchInfo, Better};
use tare_stats::{
    Best, RatioInterval, RowInput, RowVerdict, ratio_point, suite_geomean_sparse, unpaired_geomean,
    verdicts,
};
use tare_store::Campaign;

/// A suite's rows that measure the same.
pub(crate) struct Group {
    pub(crate) suite: String,
    pub(crate) measure: Measure,
    pub(crate) rows: Vec<usize>,
}

/// The geometric means of every group on every layer (`weighed[row][layer]`, `layers` their names), each with its interval on the log
/// scale, from two blocks on.
pub(crate) fn geomeans(
    (weighed, judged): (&[Vec<CellRatio>], &[Vec<Option<RowVerdict>>]),
    layers: &[&str],
    campaign: &Campaign,
    by_host: &[bool],
    floors: &Floors,
    options: &Options,
) -> impl Iterator<Item = (Geomean, Option<RatioInterval>)> + use<> {
    let benchmarks = &campaign.benchmarks;
    let mut means = Vec::new();
    let (mut intervals, mut log_floors, mut supports) = (Vec::new(), Vec::new(), Vec::new());
    for group in groups(benchmarks, by_host) {
        let shared = shared(&group.rows, weighed);
        for (at, layer) in layers.iter().enumerate() {
            let all = || group.rows.iter().map(|&row| (&weighed[row][at], benchmarks[row].better));
            let rows: Vec<(&CellRatio, Better)> =
                all().filter(|(weighed, _)| weighed.whole.is_none()).collect();
            let subtracted = all().count() - rows.len();
            let Some((cost, used, interval)) = mean(&rows, options.confidence) else { continue };
            let bases = rows.iter().map(|(weighed, _)| weighed.bases).collect();
            log_floors.push(floors.overall_bound(bases));
            let support = support(&group.rows, (weighed, judged), at, benchmarks);
            means.push(Geomean {
                suite: group.suite.clone().into(),
                measure: group.measure,
                layer: (*layer).to_owned().into(),
                cost,
                figures: Figures::default(),
                shared: (shared.len() > 1 && shared.len() < used)
                    .then(|| over(&shared, at, weighed, benchmarks, options.confidence))
                    .flatten(),
                rows: used,
                left_out: rows.len() - used,
                subtracted,
                undecided: support.open,
                carried: support.carried(),
                verdict: Verdict::None,
                shown: None,
            });
            supports.push(support);
            intervals.push(interval);
        }
    }
    judge(&mut means, &intervals, &log_floors, options);
    for (mean, support) in means.iter_mut().zip(supports) {
        mean.verdict = support.bound(mean.verdict);
    }
    means.into_iter().zip(intervals)
}

/// What the rows of a mean say of it, on the layer `at` its place.
fn support(
    rows: &[usize],
    (weighed, judged): (&[Vec<CellRatio>], &[Vec<Option<RowVerdict>>]),
    at: usize,
    benchmarks: &[BenchInfo],
) -> Support {
    Support::of(rows.iter().filter_map(|&row| {
        let of_row = &weighed[row][at];
        let log = of_row.interval.filter(|_| of_row.whole.is_none())?.log_ratio;
        let said = judged[row][at].map_or(Verdict::None, |judged| verdict(judged.verdict).0);
        Some((cost(log, benchmarks[row].better), said))
    }))
}

/// The rows of a group that every layer has which has any of them, most of none being subtracted.
fn shared(rows: &[usize], weighed: &[Vec<CellRatio>]) -> Vec<usize> {
    let has = |row: usize, at: usize| {
        let cell = &weighed[row][at];
        cell.interval.is_some() && cell.whole.is_none()
    };
    let layers = rows.first().map_or(0, |row| weighed[*row].len());
    let some: Vec<usize> = (0..layers).filter(|at| rows.iter().any(|row| has(*row, *at))).collect();
    rows.iter().copied().filter(|row| some.iter().all(|at| has(*row, *at))).collect()
}

/// The mean of the layer `at` its place over `rows` alone.
fn over(
    rows: &[usize],
    at: usize,
    weighed: &[Vec<CellRatio>],
    benchmarks: &[BenchInfo],
    confidence: f64,
) -> Option<SharedMean> {
    let cells: Vec<(&CellRatio, Better)> =
        rows.iter().map(|&row| (&weighed[row][at], benchmarks[row].better)).collect();
    let (cost, rows, _) = mean(&cells, confidence)?;
    Some(SharedMean { cost, rows })
}

/// The groups that have a mean: at the smallest load of each benchmark, without what the host measured.
pub(crate) fn groups(benchmarks: &[BenchInfo], by_host: &[bool]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let plain = plain(benchmarks.iter().map(|bench| bench.name.as_str()));
    let counts = |row: usize| !by_host[row] && plain[row];
    for (row, bench) in benchmarks.iter().enumerate().filter(|(row, _)| counts(*row)) {
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
    rows: &[(&CellRatio, Better)],
    confidence: f64,
) -> Option<(Ratio, usize, Option<RatioInterval>)> {
    let paired = paired(rows, confidence);
    if let Some((interval, used)) = paired.or_else(|| unpaired(rows, confidence)) {
        return Some(((&interval).into(), used, Some(interval)));
    }
    let costs: Vec<f64> = rows
        .iter()
        .filter_map(|(weighed, better)| Some(cost(weighed.point?.ratio.ln(), *better)))
        .collect();
    let (ones, ratios): (Vec<f64>, Vec<f64>) = costs.iter().map(|log| (1.0, log.exp())).unzip();
    let point = ratio_point(&ones, &ratios).ok()?;
    Some((Ratio { blocks: 1, ..point.into() }, costs.len(), None))
}

/// Over blocks that hold both layers.
fn paired(rows: &[(&CellRatio, Better)], confidence: f64) -> Option<(RatioInterval, usize)> {
    let costs = rows.iter().filter_map(|(weighed, better)| match &weighed.logs {
        Logs::Paired(logs) => Some(costs(logs, *better)),
        Logs::Unpaired(_) => None,
    });
    let costs: Vec<Vec<Option<f64>>> =
        costs.filter(|logs| logs.iter().any(Option::is_some)).collect();
    let suite = suite_geomean_sparse(&costs, confidence).ok()?;
    Some((suite.interval, suite.rows))
}

/// Over runs that have nothing to do with each other: rows that both layers have twice.
fn unpaired(rows: &[(&CellRatio, Better)], confidence: f64) -> Option<(RatioInterval, usize)> {
    let twice = |side: &[Option<f64>]| side.iter().flatten().count() >= 2;
    let both: Vec<[Vec<Option<f64>>; 2]> = rows
        .iter()
        .filter_map(|(weighed, better)| match &weighed.logs {
            Logs::Unpaired(sides) if sides.iter().all(|side| twice(side)) => {
                Some([costs(&sides[0], *better), costs(&sides[1], *better)])
            }
            _ => None,
        })
        .collect();
    let of = |at: usize| {
        let side: Vec<_> = both.iter().map(|row| row[at].clone()).collect();
        suite_geomean_sparse(&side, confidence).ok()
    };
    Some((unpaired_geomean(&of(0)?, &of(1)?, confidence), both.len()))
}

/// Log ratios as costs: above 0 is worse.
pub(crate) fn costs(logs: &[Option<f64>], better: Better) -> Vec<Option<f64>> {
    logs.iter().map(|log| Some(cost((*log)?, better))).collect()
}

/// A log ratio as a cost: above 0 is worse.
fn cost(log: f64, better: Better) -> f64 {
    match better {
        Better::Lower => log,
        Better::Higher => -log,
    }
}

/// Verdicts on the means, a family of their own, bounded by the floor over all benchmarks.
fn judge(
    means: &mut [Geomean],
    intervals: &[Option<RatioInterval>],
    floors: &[f64],
    options: &Options,
) {
    let at: Vec<usize> = (0..means.len()).filter(|&i| intervals[i].is_some()).collect();
    let inputs: Vec<RowInput> = intervals
        .iter()
        .zip(floors)
        .filter_map(|(interval, &floor)| {
            let (interval, margin) = ((*interval)?, options.margin);
            Some(RowInput { interval, margin, floor, best: Best::Lowest, layer: 0 })
        })
        .collect();
    let answers = verdicts(&inputs, options.correction, 1.0 - options.confidence);
    for (&i, answer) in at.iter().zip(&answers) {
        (means[i].verdict, means[i].shown) = (verdict(answer.verdict).0, answer.shown);
    }
}
