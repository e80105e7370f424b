//! The hierarchical bootstrap of the ratio: blocks first, then the samples of each series. It checks the t
//! interval without assuming a distribution.

use crate::check;
use crate::dist::{normal_lower, t_factor};
use crate::error::StatError;
use crate::interval::ratio::{RatioInterval, all_same, exp_finite};
use crate::rng::Rng;
use crate::series::estimator::{Best, Estimator};
use crate::series::summary::{mean_of, quantile_in_place, sd_of};
use serde::Serialize;

/// The samples of one block: one boot of the baseline and one of the layer, in the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockSamples<'a> {
    /// All samples of the baseline's boot.
    pub baseline: &'a [f64],
    /// All samples of the layer's boot.
    pub layer: &'a [f64],
}

/// A ratio with its bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BootstrapRatio {
    /// Geometric mean over the blocks of layer / baseline, as measured (not the mean of the resamples).
    pub ratio: f64,
    /// Lower end of the interval of `ratio`.
    pub low: f64,
    /// Upper end of the interval of `ratio`.
    pub high: f64,
    /// Blocks it rests on.
    pub blocks: usize,
    /// Standard deviation of the resampled log ratios.
    pub std_error: f64,
    /// Resamples of blocks.
    pub resamples: usize,
    /// Resampled estimates kept per series (the smallest over the series).
    pub per_series: usize,
    /// All resamples agree, so the interval has no width.
    pub degenerate: bool,
    /// Confidence of the interval.
    pub confidence: f64,
}

/// Samples drawn per series are about this many in all …
const DRAWS_PER_SERIES: usize = 16_384;
/// … but never fewer than the one number of resamples, nor more than the other.
const ESTIMATES_PER_SERIES: std::ops::RangeInclusive<usize> = 12..=64;

/// Below this many blocks the bootstrap cannot reach the tails that t does, and [`disagree`] stays silent.
pub const LEAST_BLOCKS_TO_COMPARE: usize = 6;

/// [`disagree`] speaks when an end differs by more than this share of the wider interval's half-width.
///
/// With normal noise between boots fewer than 1 row in 50 passes it at 6 blocks, and none in thousands from 10; one
/// block in ten that is off by a factor of two does, and noise that is all within boots does every other time.
pub const DISAGREEMENT_BOUND: f64 = 0.35;

/// The ratio with a hierarchical bootstrap interval: each resample draws blocks with replacement (a block stays
/// paired), and within each drawn block the samples of both series with replacement, reduced by the estimator.
///
/// The interval is the expanded percentile interval on the log scale (Hesterberg 2015, "What Teachers Should Know
/// About the Bootstrap"): the percentiles are moved outwards so that for normal blocks its width matches t. With 3 or
/// 4 blocks those percentiles lie beyond the resamples, so the interval ends at the most extreme one and is too
/// narrow. Resampling both levels counts the noise within boots twice (Davison and Hinkley 1997, section 3.8), which
/// makes it wider than t by at most a factor √2, when all noise is within boots.
///
/// To stay linear in the samples, each series is resampled 64 times (fewer for long series: 16,384 draws in all, 12
/// resamples at least) and a drawn block takes one of these estimates per side at random. Over ten blocks and two
/// sides that is still 240 resamples, which settles the part of the width that comes from within boots to about 5%.
///
/// # Errors
/// [`StatError::TooFew`] below two blocks, [`StatError::BadSetting`] below 100 resamples; empty, non-finite, zero or
/// negative samples (the position is that within its series).
pub fn bootstrap_ratio(
    blocks: &[BlockSamples<'_>],
    estimator: &Estimator,
    best: Best,
    confidence: f64,
    resamples: usize,
    seed: u64,
) -> Result<BootstrapRatio, StatError> {
    check::level(confidence)?;
    estimator.check()?;
    check::at_least(blocks.len(), 2)?;
    if resamples < 100 {
        return Err(StatError::BadSetting { name: "number of resamples" });
    }
    let mut rng = Rng::new(seed);
    let mut buffer = Vec::new();
    let mut side = |samples: &[f64]| Side::new(samples, estimator, best, &mut rng, &mut buffer);
    let pair = |block: &BlockSamples<'_>| Ok((side(block.baseline)?, side(block.layer)?));
    let sides: Vec<(Side, Side)> = blocks.iter().map(pair).collect::<Result<_, StatError>>()?;
    let measured: Vec<f64> = sides.iter().map(|(b, l)| l.measured - b.measured).collect();
    let mut draws: Vec<f64> = (0..resamples).map(|_| draw(&sides, &mut rng)).collect();
    let degenerate = all_same(&draws);
    let (low, high) = expanded_percentiles(&mut draws, blocks.len(), confidence);
    Ok(BootstrapRatio {
        ratio: exp_finite(mean_of(&measured)),
        low: exp_finite(low),
        high: exp_finite(high),
        blocks: blocks.len(),
        std_error: if degenerate { 0.0 } else { sd_of(&draws, mean_of(&draws)) },
        resamples,
        per_series: sides
            .iter()
            .map(|(b, l)| b.resampled.len().min(l.resampled.len()))
            .min()
            .unwrap_or(0),
        degenerate,
        confidence,
    })
}

/// How far the two intervals of a row are apart, when that is beyond `DISAGREEMENT_BOUND`: the larger difference of
/// their ends on the log scale, as a share of the wider one's half-width.
///
/// `None`: they agree, or there are fewer than `LEAST_BLOCKS_TO_COMPARE` blocks. What a `Some` tells is that the
/// blocks are far from normal, or that noise within boots outweighs the noise between them.
pub fn disagree(t: &RatioInterval, bootstrap: &BootstrapRatio) -> Option<f64> {
    if t.blocks.min(bootstrap.blocks) < LEAST_BLOCKS_TO_COMPARE {
        return None;
    }
    let low = t.low.ln() - bootstrap.low.ln();
    let high = t.high.ln() - bootstrap.high.ln();
    let half = (t.high.ln() - t.low.ln()).max(bootstrap.high.ln() - bootstrap.low.ln()) / 2.0;
    let gap = low.abs().max(high.abs()) / half;
    (gap > DISAGREEMENT_BOUND).then_some(gap)
}

/// One series: its log estimate as measured, and the log estimates of its resamples.
struct Side {
    measured: f64,
    resampled: Vec<f64>,
}

impl Side {
    fn new(
        samples: &[f64],
        estimator: &Estimator,
        best: Best,
        rng: &mut Rng,
        buffer: &mut Vec<f64>,
    ) -> Result<Self, StatError> {
        check::positive(samples)?;
        buffer.clear();
        buffer.extend_from_slice(samples);
        let measured = estimator.reduce_in_place(buffer, best).ln();
        let n = samples.len();
        if n == 1 || samples.iter().all(|s| *s == samples[0]) {
            return Ok(Self { measured, resampled: vec![measured] });
        }
        let times = (DRAWS_PER_SERIES / n)
            .clamp(*ESTIMATES_PER_SERIES.start(), *ESTIMATES_PER_SERIES.end());
        let resampled = (0..times)
            .map(|_| {
                buffer.clear();
                buffer.extend((0..n).map(|_| samples[rng.below(n)]));
                estimator.reduce_in_place(buffer, best).ln()
            })
            .collect();
        Ok(Self { measured, resampled })
    }

    fn pick(&self, rng: &mut Rng) -> f64 {
        self.resampled[rng.below(self.resampled.len())]
    }
}

fn draw(sides: &[(Side, Side)], rng: &mut Rng) -> f64 {
    let sum: f64 = (0..sides.len())
        .map(|_| {
            let (baseline, layer) = &sides[rng.below(sides.len())];
            layer.pick(rng) - baseline.pick(rng)
        })
        .sum();
    sum / sides.len() as f64
}

fn expanded_percentiles(draws: &mut [f64], blocks: usize, confidence: f64) -> (f64, f64) {
    let n = blocks as f64;
    let tail = normal_lower(-t_factor(confidence, n - 1.0) * (n / (n - 1.0)).sqrt());
    (quantile_in_place(draws, tail), quantile_in_place(draws, 1.0 - tail))
}
