//! The noise floor: the baseline's second boot of a block against its first.

use crate::board::{Floor, OverallFloor};
use crate::options::Options;
use crate::values::{Found, Values, best};
use tare_proto::BenchInfo;
use tare_stats::{
    NoiseFloor, RowInput, Verdict, log_ratios, median, noise_floor, ratio_point,
    suite_geomean_sparse, verdicts,
};
use tare_store::Role;

/// The floors of all rows.
pub(crate) struct Floors {
    /// One per benchmark.
    pub(crate) rows: Vec<Option<Floor>>,
    /// The same with their intervals, where there are any.
    pub(crate) intervals: Vec<Option<NoiseFloor>>,
    /// Over all benchmarks.
    pub(crate) overall: OverallFloor,
}

impl Floors {
    /// The floor that a verdict on `benchmark` is bounded by, as a log ratio; 0 when none was measured.
    pub(crate) fn log_bound(&self, benchmark: usize) -> f64 {
        self.intervals[benchmark].map_or(0.0, |floor| floor.log_floor)
    }
}

/// Both boots' values of the baseline, block by block where both exist.
fn twice(values: &Values, baseline: usize, benchmark: usize) -> Vec<Option<(f64, f64)>> {
    let value = |block: u32, role| match values.at(block, baseline, role, benchmark) {
        Some(Found::Value(value, _)) => Some(*value),
        _ => None,
    };
    let blocks = values.blocks.iter();
    blocks.map(|&block| value(block, Role::Weigh).zip(value(block, Role::Floor))).collect()
}

/// Measures the floor of every benchmark and of all together.
pub(crate) fn floors(
    values: &Values,
    baseline: Option<usize>,
    benchmarks: &[BenchInfo],
    options: &Options,
) -> Floors {
    let pairs: Vec<Vec<Option<(f64, f64)>>> = (0..benchmarks.len())
        .map(|bench| baseline.map_or_else(Vec::new, |layer| twice(values, layer, bench)))
        .collect();
    let split: Vec<(Vec<f64>, Vec<f64>)> =
        pairs.iter().map(|row| row.iter().flatten().copied().unzip()).collect();
    let intervals: Vec<Option<NoiseFloor>> =
        split.iter().map(|(a, b)| noise_floor(a, b, options.confidence).ok()).collect();
    let different = called_different(&intervals, benchmarks, options);
    let rows = split
        .iter()
        .zip(&intervals)
        .zip(&different)
        .map(|(((a, b), interval), &called_different)| match interval {
            Some(floor) => Some(Floor {
                ratio: (&floor.interval).into(),
                bound: Some(floor.ratio_floor),
                called_different,
            }),
            None => ratio_point(a, b).ok().map(|point| Floor {
                ratio: point.into(),
                bound: None,
                called_different: false,
            }),
        })
        .collect();
    let inner: Vec<_> =
        pairs.iter().zip(&values.by_host).filter(|(_, host)| !**host).map(|(row, _)| row).collect();
    let overall = overall(&inner, &intervals, benchmarks, &different, options);
    Floors { rows, intervals, overall }
}

/// Where the baseline would be called different from itself, by the same rules as every layer.
fn called_different(
    intervals: &[Option<NoiseFloor>],
    benchmarks: &[BenchInfo],
    options: &Options,
) -> Vec<bool> {
    let at: Vec<usize> = (0..intervals.len()).filter(|&i| intervals[i].is_some()).collect();
    let inputs: Vec<RowInput> = at
        .iter()
        .filter_map(|&i| {
            let (interval, best) = (intervals[i]?.interval, best(benchmarks[i].better));
            Some(RowInput { interval, margin: options.margin, floor: 0.0, best })
        })
        .collect();
    let answers = verdicts(&inputs, options.correction, 1.0 - options.confidence);
    let mut different = vec![false; intervals.len()];
    for (&i, answer) in at.iter().zip(answers) {
        different[i] = matches!(answer.verdict, Verdict::Slower | Verdict::Faster);
    }
    different
}

fn overall(
    pairs: &[&Vec<Option<(f64, f64)>>],
    intervals: &[Option<NoiseFloor>],
    benchmarks: &[BenchInfo],
    different: &[bool],
    options: &Options,
) -> OverallFloor {
    let logs: Vec<Vec<Option<f64>>> =
        pairs.iter().map(|row| row.iter().map(|pair| log_ratio((*pair)?)).collect()).collect();
    let suite = suite_geomean_sparse(&logs, options.confidence).ok();
    let bounds: Vec<f64> = intervals.iter().flatten().map(|floor| floor.ratio_floor).collect();
    let named = intervals.iter().zip(benchmarks);
    let largest = named
        .filter_map(|(floor, bench)| Some((floor.as_ref()?.ratio_floor, bench.name.clone())))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    OverallFloor {
        ratio: suite.as_ref().map(|suite| (&suite.interval).into()),
        bound: suite.map(|suite| suite.interval.high.max(1.0 / suite.interval.low)),
        rows: bounds.len(),
        called_different: different.iter().filter(|d| **d).count(),
        median: median(&bounds).ok(),
        largest,
    }
}

/// The log of second / first of one block.
fn log_ratio((first, second): (f64, f64)) -> Option<f64> {
    log_ratios(&[first], &[second]).ok()?.first().copied()
}
