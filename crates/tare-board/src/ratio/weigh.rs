//! A benchmark on a layer, divided by the baseline: block by block, or as unrelated runs.

use crate::figures::Ratio;
use crate::options::Options;
use crate::ratio::subtracted::Whole;
use crate::value::bases::Bases;
use crate::value::measured::Operation;
use crate::value::values::Values;
use tare_proto::BenchInfo;
use tare_stats::{
    RatioInterval, RatioPoint, point_of_logs, ratio_of_logs, unpaired_point, unpaired_ratio,
};

/// A benchmark on a layer, divided by the baseline.
pub(crate) struct CellRatio {
    /// The baseline's values that the ratio rests on.
    pub(crate) below: Vec<f64>,
    /// The layer's: block by block where they are paired.
    pub(crate) above: Vec<f64>,
    /// What every block of the campaign has.
    pub(crate) logs: Logs,
    /// The ratio's interval, from two blocks on.
    pub(crate) interval: Option<RatioInterval>,
    /// The ratio itself.
    pub(crate) point: Option<RatioPoint>,
    /// Blocks that should have both.
    pub(crate) expected: usize,
    /// The whole operation, where most of it is subtracted.
    pub(crate) whole: Option<Whole>,
    /// Which of the baseline's series it is divided by.
    pub(crate) bases: Bases,
}

impl CellRatio {
    /// The ratio, with its interval if it has one.
    pub(crate) fn ratio(&self) -> Option<Ratio> {
        self.interval.as_ref().map(Ratio::from).or_else(|| self.point.map(Ratio::from))
    }
}

/// Natural logarithms, one a block of the campaign.
pub(crate) enum Logs {
    /// Of the ratio.
    Paired(Vec<Option<f64>>),
    /// Of the baseline's and the layer's values: imported runs of two layers have only their number in common.
    Unpaired([Vec<Option<f64>>; 2]),
}

/// Divides `layer` by `baseline`: block by block, or as unrelated runs where another tool took them.
pub(crate) fn weigh(
    values: &Values,
    baseline: Option<usize>,
    layer: usize,
    benchmark: usize,
    options: &Options,
) -> CellRatio {
    if values.imported(layer) {
        return unrelated(values, baseline, layer, benchmark, options);
    }
    let pair = |&block: &u32| {
        let below = values.below(block, layer, benchmark)?;
        Some((below, values.value(block, layer, benchmark)?))
    };
    let (below, above): (Vec<f64>, Vec<f64>) = values.blocks.iter().filter_map(pair).unzip();
    let logs: Vec<Option<f64>> = values.log_ratios(layer, benchmark, Operation::Corrected);
    let known: Vec<f64> = logs.iter().flatten().copied().collect();
    let interval = ratio_of_logs(&known, options.confidence).ok();
    let point = point_of_logs(&known).ok();
    let logs = Logs::Paired(logs);
    let both = |block: &&u32| {
        let expected = |layer| values.is_expected(**block, layer, benchmark);
        expected(layer) && baseline.is_some_and(expected)
    };
    let expected = values.blocks.iter().filter(both).count();
    let whole = baseline.and_then(|b| Whole::of(values, b, layer, benchmark, options));
    let bases = values.bases(layer, benchmark);
    CellRatio { below, above, logs, interval, point, expected, whole, bases }
}

/// The runs of two layers that were taken independently.
fn unrelated(
    values: &Values,
    baseline: Option<usize>,
    layer: usize,
    benchmark: usize,
    options: &Options,
) -> CellRatio {
    let of = |layer: Option<usize>| -> Vec<Option<f64>> {
        values.blocks.iter().map(|&block| values.value(block, layer?, benchmark)).collect()
    };
    let (below, above) = (of(baseline), of(Some(layer)));
    let logs = |side: &[Option<f64>]| side.iter().map(|value| Some((*value)?.ln())).collect();
    let logs = Logs::Unpaired([logs(&below), logs(&above)]);
    let [below, above]: [Vec<f64>; 2] =
        [below, above].map(|side| side.into_iter().flatten().collect());
    let interval = unpaired_ratio(&below, &above, options.confidence).ok();
    let point = unpaired_point(&below, &above).ok();
    let bases = values.bases(layer, benchmark);
    CellRatio { below, above, logs, interval, point, expected: 0, whole: None, bases }
}

/// Where a cell stands.
pub(crate) struct CellAddress<'a> {
    pub(crate) layer: usize,
    pub(crate) name: &'a str,
    pub(crate) benchmark: usize,
    pub(crate) info: &'a BenchInfo,
}
