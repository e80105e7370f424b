//! From one series to what a ratio needs to know of it, and from two of these to a log ratio: pure functions, which a running
//! campaign uses as well.

pub use crate::figures::Figure;
use tare_proto::counter::CPU_WAITED;
use tare_proto::{BenchInfo, Better, Counter, Turn};
use tare_stats::{Best, Estimator, StatError, rounds_log_ratio, rounds_log_ratio_of_means};
use tare_store::SeriesRow;

/// The value of a series: its samples reduced by `estimator`, or by the benchmark's own, and corrected for what was
/// measured beside them. The one way from a series to a block's value.
///
/// # Errors
/// Samples that are no times, rates or sizes, or an estimator that nobody knows.
pub fn series_value(
    bench: &BenchInfo,
    samples: &[f64],
    subtracted: f64,
    estimator: Option<Estimator>,
) -> Result<f64, StatError> {
    let estimator = estimator.map_or_else(|| bench.estimator.parse(), Ok)?;
    estimator.reduce_corrected(samples, subtracted, best(bench.better))
}

/// The share of a series in which the layer was ready to run and had no CPU, since others on the machine had it, by the series'
/// counters; `None` where nobody knows.
pub fn waited(counters: &[Counter]) -> Option<f64> {
    let counter = counters.iter().find(|counter| counter.name == CPU_WAITED)?;
    Some(counter.value).filter(|share| share.is_finite())
}

/// That share where it is larger than `most`: such a series has no value. What is withheld is still lacking, so that a time budget measures
/// it in a later block.
pub fn waited_too_long(counters: &[Counter], most: f64) -> Option<f64> {
    waited(counters).filter(|waited| *waited > most)
}

/// The baseline's value in a block, which boots it twice: the geometric mean of both boots, or the one there is.
pub fn of_both(first: Option<f64>, second: Option<f64>) -> Option<f64> {
    match (first, second) {
        (Some(a), Some(b)) => Some(a.sqrt() * b.sqrt()),
        (one, other) => one.or(other),
    }
}

/// What of an operation is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Itself: what was measured beside it is subtracted.
    Corrected,
    /// With all that surrounds it.
    Whole,
}

/// What a ratio needs to know of one side of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The series' value ([`series_value`]).
    pub value: f64,
    /// The values of its turns ([`turn_values`]); empty when all samples were taken at once.
    pub turns: Vec<f64>,
    /// What a turn's value stands for.
    pub figure: Figure,
}

impl Measured {
    /// Of a series whose value is `value`.
    pub(crate) fn of(
        value: f64,
        row: &SeriesRow,
        best: Best,
        operation: Operation,
        figure: Figure,
    ) -> Measured {
        let added = if operation == Operation::Whole { row.subtracted } else { 0.0 };
        let turns = turn_values(&row.samples, row.subtracted, &row.turns, best, operation, figure);
        Measured { value: value + added, turns, figure }
    }

    /// Whether both took turns, or both all samples at once.
    pub(crate) fn is_like(&self, other: &Measured) -> bool {
        self.turns.is_empty() == other.turns.is_empty()
    }
}

/// The value of each turn: its best sample, since noise only adds, or the mean or median of them, corrected by what was measured in the same
/// turn; NaN where nothing is left. None where all samples are reduced at once.
pub fn turn_values(
    samples: &[f64],
    subtracted: f64,
    turns: &[Turn],
    best: Best,
    operation: Operation,
    figure: Figure,
) -> Vec<f64> {
    if figure == Figure::Whole {
        return Vec::new();
    }
    let mut rest = samples;
    let better: fn(f64, f64) -> f64 = match best {
        Best::Lowest => f64::min,
        Best::Highest => f64::max,
    };
    let value = |turn: &Turn| {
        let (own, others) = rest.split_at((turn.samples as usize).min(rest.len()));
        rest = others;
        let reduced = match figure {
            Figure::Best => own.iter().copied().fold(f64::NAN, better),
            Figure::Median => tare_stats::median(own).unwrap_or(f64::NAN),
            Figure::Mean | Figure::Whole => own.iter().sum::<f64>() / own.len() as f64,
        };
        let whole = reduced + subtracted;
        let value = match operation {
            Operation::Corrected => whole - turn.subtracted,
            Operation::Whole => whole,
        };
        if value > 0.0 { value } else { f64::NAN }
    };
    turns.iter().map(value).collect()
}

/// The log ratio of one side to the other: from their rounds where both took turns, otherwise of their values.
pub fn log_ratio(layer: &Measured, base: &Measured) -> f64 {
    let by_rounds = match layer.figure {
        Figure::Best | Figure::Median => rounds_log_ratio(&layer.turns, &base.turns),
        Figure::Whole => None,
        Figure::Mean => rounds_log_ratio_of_means(&layer.turns, &base.turns),
    };
    by_rounds.unwrap_or_else(|| (layer.value / base.value).ln())
}

/// The log ratio of a layer to the baseline in a block, which boots it twice: the mean of those to either boot, or the
/// one there is. Each is taken by itself, so that a layer that is the baseline has the expectation zero under any noise.
///
/// A boot of the baseline that was measured like the layer, in turns or at once, counts before one that was not: the best of
/// short turns is lower than the value of a whole series, of the same layer on a machine that is not quiet.
pub fn block_log_ratio(layer: &Measured, base: [Option<&Measured>; 2]) -> Option<f64> {
    let mut base: Vec<&Measured> = base.into_iter().flatten().collect();
    if base.iter().any(|base| base.is_like(layer)) {
        base.retain(|base| base.is_like(layer));
    }
    let logs: Vec<f64> = base.into_iter().map(|base| log_ratio(layer, base)).collect();
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

/// Which end is good, in `tare-stats`' words.
pub const fn best(better: Better) -> Best {
    match better {
        Better::Lower => Best::Lowest,
        Better::Higher => Best::Highest,
    }
}
