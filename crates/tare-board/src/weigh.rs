//! A benchmark on a layer, divided by the baseline: block by block, or as unrelated runs.

use crate::options::Options;
use crate::subtracted::Whole;
use crate::values::Values;
use tare_proto::BenchInfo;
use tare_stats::{
    RatioInterval, RatioPoint, log_ratios, paired_ratio, ratio_point, unpaired_point,
    unpaired_ratio,
};

/// A benchmark on a layer, divided by the baseline.
pub(crate) struct Weighed {
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
    /// Blocks that booted both.
    pub(crate) expected: usize,
    /// The whole operation, where most of it is subtracted.
    pub(crate) whole: Option<Whole>,
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
) -> Weighed {
    if values.imported(layer) {
        return unrelated(values, baseline, layer, benchmark, options);
    }
    let pair = |block: u32| {
        let below = values.value(block, baseline?, benchmark)?;
        Some((below, values.value(block, layer, benchmark)?))
    };
    let all: Vec<Option<(f64, f64)>> = values.blocks.iter().map(|&block| pair(block)).collect();
    let log = |(b, l): (f64, f64)| log_ratios(&[b], &[l]).ok()?.first().copied();
    let logs = Logs::Paired(all.iter().map(|pair| log((*pair)?)).collect());
    let (below, above): (Vec<f64>, Vec<f64>) = all.into_iter().flatten().unzip();
    let interval = paired_ratio(&below, &above, options.confidence).ok();
    let both = |block: &&u32| {
        values.booted(**block, layer) && baseline.is_some_and(|b| values.booted(**block, b))
    };
    let expected = values.blocks.iter().filter(both).count();
    let point = ratio_point(&below, &above).ok();
    let whole = baseline.and_then(|b| Whole::of(values, b, layer, benchmark, options));
    Weighed { below, above, logs, interval, point, expected, whole }
}

/// The runs of two layers that were taken independently.
fn unrelated(
    values: &Values,
    baseline: Option<usize>,
    layer: usize,
    benchmark: usize,
    options: &Options,
) -> Weighed {
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
    Weighed { below, above, logs, interval, point, expected: 0, whole: None }
}

/// Where a cell stands.
pub(crate) struct Place<'a> {
    pub(crate) layer: usize,
    pub(crate) name: &'a str,
    pub(crate) benchmark: usize,
    pub(crate) info: &'a BenchInfo,
}
