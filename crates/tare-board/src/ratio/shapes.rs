//! What the samples behind a cell look like beside their ratio: shift and spread, the bootstrap as a check, and
//! signs that they are not the independent repetitions they are taken for.

use crate::figures::Ratio;
use crate::options::Options;
use crate::ratio::weigh::{CellAddress, CellRatio, Logs};
use crate::remarks::finding::Finding;
use crate::value::measured::best;
use crate::value::values::{BlockResult, Values};
use tare_stats::{
    BlockSamples, BootstrapRatio, Estimator, Shape, Warning, block_warnings, bootstrap_ratio,
    disagree, paired_ratio, series_warnings, shape,
};
use tare_store::{Role, SeriesRow};

/// Resamples of the bootstrap, and its seed: the same campaign says the same each time.
const RESAMPLES: (usize, u64) = (2000, 1);

/// What a cell's samples look like.
pub(crate) struct SampleChecks {
    pub(crate) shape: Option<Shape>,
    pub(crate) bootstrap: Option<Ratio>,
    pub(crate) findings: Vec<Finding>,
}

/// Looks at the series of a cell; what cannot be had from them is left out: of imported figures, everything.
pub(crate) fn look(
    values: &Values,
    place: &CellAddress,
    weighed: &CellRatio,
    options: &Options,
) -> SampleChecks {
    let Logs::Paired(logs) = &weighed.logs else {
        return SampleChecks { shape: None, bootstrap: None, findings: Vec::new() };
    };
    let pairs = pairs(values, place);
    let blocks: Vec<BlockSamples> = pairs
        .iter()
        .map(|(b, l)| BlockSamples { baseline: &b.1.samples, layer: &l.1.samples })
        .collect();
    let boots: Vec<&[f64]> = pairs.iter().map(|(_, layer)| layer.1.samples.as_slice()).collect();
    // The rounds' ratios are no samples of two series, which is what the bootstrap draws from.
    let in_turns = pairs.iter().any(|(_, layer)| !layer.1.turns.is_empty());
    let bootstrap = (!in_turns).then(|| resampled(&blocks, place, options)).flatten();
    let mut warnings = series_warnings(&boots).unwrap_or_default();
    warnings.extend(between_blocks(logs));
    // The bootstrap draws one boot a side, so it is compared with t on the same boots.
    let (below, above): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(b, l)| (b.0, l.0)).unzip();
    let t = paired_ratio(&below, &above, options.confidence).ok();
    let gap = t.zip(bootstrap.as_ref()).and_then(|(t, bootstrap)| disagree(&t, bootstrap));
    warnings.extend(gap.map(|gap| Warning::IntervalsDisagree { gap }));
    SampleChecks {
        shape: shape(&blocks, options.confidence).ok(),
        bootstrap: bootstrap.map(|b| Ratio {
            value: b.ratio,
            low: Some(b.low),
            high: Some(b.high),
            blocks: b.blocks,
        }),
        findings: warnings.into_iter().map(Finding::new).collect(),
    }
}

/// What the samples of one layer's boots show, and the sequence of the blocks' values.
pub(crate) fn findings_of(values: &Values, layer: usize, benchmark: usize) -> Vec<Finding> {
    if values.imported(layer) {
        return Vec::new();
    }
    let series = values.all(layer, benchmark).filter_map(|found| match found {
        BlockResult::Value(_, series) => Some(series.samples.as_slice()),
        _ => None,
    });
    let boots: Vec<&[f64]> = series.collect();
    let logs: Vec<Option<f64>> = values
        .blocks
        .iter()
        .map(|&block| Some(values.value(block, layer, benchmark)?.ln()))
        .collect();
    let within = series_warnings(&boots).unwrap_or_default();
    within.into_iter().chain(between_blocks(&logs)).map(Finding::new).collect()
}

/// Value and series of one boot.
type Boot<'a> = (f64, &'a SeriesRow);

/// Baseline's and layer's boot of every block that has both; the baseline's first, or else its second.
fn pairs<'a>(values: &Values<'a>, place: &CellAddress) -> Vec<(Boot<'a>, Boot<'a>)> {
    let boot = |found: &BlockResult<'a>| match found {
        BlockResult::Value(value, series) => Some((*value, *series)),
        _ => None,
    };
    let pair = |&block: &u32| {
        let base = values.base(block, place.layer, place.benchmark);
        let below = base.into_iter().find_map(|found| boot(found?))?;
        let own = values.at(block, place.layer, Role::Weigh, place.benchmark)?;
        Some((below, boot(own)?))
    };
    values.blocks.iter().filter_map(pair).collect()
}

fn resampled(
    blocks: &[BlockSamples],
    place: &CellAddress,
    options: &Options,
) -> Option<BootstrapRatio> {
    let own = || place.info.estimator.parse::<Estimator>().ok();
    let estimator = options.estimator.or_else(own)?;
    let (resamples, seed) = RESAMPLES;
    let best = best(place.info.better);
    bootstrap_ratio(blocks, &estimator, best, options.confidence, resamples, seed).ok()
}

/// What the sequence of the blocks' ratios shows, its blocks counted as the campaign's.
fn between_blocks(logs: &[Option<f64>]) -> Vec<Warning> {
    let logs = logs.iter().enumerate().filter_map(|(at, log)| Some((at, (*log)?)));
    let (at, ratios): (Vec<usize>, Vec<f64>) = logs.map(|(at, log)| (at, log.exp())).unzip();
    let mut warnings = block_warnings(&ratios).unwrap_or_default();
    for warning in &mut warnings {
        if let Warning::ChangePoint { block, .. } = warning {
            *block = at.get(*block).copied().unwrap_or(*block);
        }
    }
    warnings
}
