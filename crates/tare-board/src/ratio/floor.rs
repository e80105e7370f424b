//! The noise floor: the baseline's second boot of a block against its first.

use crate::board::{Floor, OverallFloor};
use crate::options::Options;
use crate::value::bases::Bases;
use crate::value::measured::best;
use crate::value::values::Values;
use tare_proto::{BenchInfo, Untrusted};
use tare_stats::{
    NoiseFloor, RowInput, Verdict, median, noise_floor_of_logs, point_of_logs,
    suite_geomean_sparse, verdicts,
};

/// The floors of all rows.
pub(crate) struct Floors {
    /// One per benchmark.
    pub(crate) rows: Vec<Option<Floor>>,
    /// The same with their intervals, where there are any.
    pub(crate) intervals: Vec<Option<NoiseFloor>>,
    /// Over all benchmarks.
    pub(crate) overall: OverallFloor,
    /// The same by the series that the baseline took once more, for layers that take no turns; none without any.
    pub(crate) again: Option<Box<Floors>>,
}

impl Floors {
    /// The floor that a verdict on `benchmark` is bounded by on a layer that is divided by `bases`, as a log ratio; 0 when none
    /// was measured.
    pub(crate) fn log_bound(&self, benchmark: usize, bases: Bases) -> f64 {
        let of = |floors: &Floors| floors.intervals[benchmark].map_or(0.0, |floor| floor.log_floor);
        self.largest(bases, of)
    }

    /// The same of a geometric mean.
    pub(crate) fn overall_bound(&self, bases: Bases) -> f64 {
        self.largest(bases, |floors| floors.overall.bound.map_or(0.0, f64::ln).max(0.0))
    }

    /// The floor of a row on a layer that is divided by whole series of the baseline's, where it is.
    pub(crate) fn of_whole_series(&self, benchmark: usize, bases: Bases) -> Option<Floor> {
        self.again.as_ref().filter(|_| bases.again)?.rows[benchmark]
    }

    fn largest(&self, bases: Bases, of: impl Fn(&Floors) -> f64) -> f64 {
        let again = self.again.as_deref().filter(|_| bases.again);
        let usual = if bases.usual || again.is_none() { of(self) } else { 0.0 };
        again.map_or(0.0, of).max(usual)
    }
}

/// Measures the floor of every benchmark and of all together.
pub(crate) fn floors(values: &Values, benchmarks: &[BenchInfo], options: &Options) -> Floors {
    let again = || Box::new(floors_by(values, true, benchmarks, options));
    let again = (!values.again.is_empty()).then(again);
    Floors { again, ..floors_by(values, false, benchmarks, options) }
}

fn floors_by(values: &Values, again: bool, benchmarks: &[BenchInfo], options: &Options) -> Floors {
    let of_row = |bench| values.blocks.iter().map(|&b| values.floor_log(b, bench, again)).collect();
    let logs: Vec<Vec<Option<f64>>> = (0..benchmarks.len()).map(of_row).collect();
    let known: Vec<Vec<f64>> =
        logs.iter().map(|row| row.iter().flatten().copied().collect()).collect();
    let intervals: Vec<Option<NoiseFloor>> =
        known.iter().map(|row| noise_floor_of_logs(row, options.confidence).ok()).collect();
    let different = called_different(&intervals, benchmarks, options);
    let rows = known
        .iter()
        .zip(&intervals)
        .zip(&different)
        .map(|((row, interval), &called_different)| match interval {
            Some(floor) => Some(Floor {
                ratio: (&floor.interval).into(),
                bound: Some(floor.ratio_floor),
                called_different,
            }),
            None => point_of_logs(row).ok().map(|point| Floor {
                ratio: point.into(),
                bound: None,
                called_different: false,
            }),
        })
        .collect();
    let inner = logs.into_iter().zip(&values.by_host).filter(|(_, host)| !**host);
    let inner: Vec<_> = inner.map(|(row, _)| row).collect();
    let overall = overall(&inner, &intervals, benchmarks, &different, options);
    Floors { rows, intervals, overall, again: None }
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
            Some(RowInput { interval, margin: options.margin, floor: 0.0, best, layer: 0 })
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
    logs: &[Vec<Option<f64>>],
    intervals: &[Option<NoiseFloor>],
    benchmarks: &[BenchInfo],
    different: &[bool],
    options: &Options,
) -> OverallFloor {
    let suite = suite_geomean_sparse(logs, options.confidence).ok();
    let bounds: Vec<f64> = intervals.iter().flatten().map(|floor| floor.ratio_floor).collect();
    let named = intervals.iter().zip(benchmarks);
    let largest = named
        .filter_map(|(floor, bench)| {
            Some((floor.as_ref()?.ratio_floor, Untrusted::from(bench.name.as_str())))
        })
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
