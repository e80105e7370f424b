//! How two distributions differ: location shift (added cost) apart from spread (jitter), and their distance.
//! Report 002 reads its histograms this way: "shifted to the right", "less compact".

use crate::check;
use crate::dist::normal_quantile;
use crate::distribution::differences::{difference_of_rank, median_difference};
use crate::error::StatError;
use crate::interval::bootstrap::BlockSamples;
use crate::interval::ratio::{RatioInterval, ratio_of_logs};
use crate::series::summary::{MeanInterval, mean_interval, mean_of, quantile_in_place};
use serde::Serialize;

/// Layer against baseline, from the samples of all blocks. The block is the replicate, so the intervals come from the
/// blocks' own values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// Location shift layer - baseline (Hodges and Lehmann), in the unit of the samples.
    pub shift: MeanInterval,
    /// The shift as a percentage of the baseline's median.
    pub shift_percent: f64,
    /// Spread of the layer / spread of the baseline within a boot (distance from 10th to 90th percentile): above 1 is
    /// more jitter. `None` when a series has no spread: its clock is too coarse, or it truly repeats.
    pub spread_ratio: Option<RatioInterval>,
    /// Wasserstein-1 distance as a share of the baseline's median: how far the average sample would have to move.
    pub distance: f64,
    /// Cliff's delta: the chance that a sample of the layer is above one of the baseline, minus the chance that it is
    /// below. -1 to 1.
    pub delta: f64,
}

/// The shape of layer against baseline over blocks.
///
/// # Errors
/// [`StatError::TooFew`] below two blocks; empty or non-finite samples; [`StatError::NothingLeft`] when a median of
/// the baseline is not positive. Single samples may be zero or negative: noise leaves some so where a cost was subtracted.
pub fn shape(blocks: &[BlockSamples<'_>], confidence: f64) -> Result<Shape, StatError> {
    check::level(confidence)?;
    check::at_least(blocks.len(), 2)?;
    let mut each = Vec::with_capacity(blocks.len());
    for block in blocks {
        check::finite(block.baseline)?;
        check::finite(block.layer)?;
        each.push(OneBlock::new(&sorted(block.baseline), &sorted(block.layer)));
    }
    if each.iter().any(|block| block.median <= 0.0) {
        return Err(StatError::NothingLeft);
    }
    let all = |value: fn(&OneBlock) -> f64| each.iter().map(value).collect::<Vec<f64>>();
    let shift = mean_interval(&all(|b| b.shift), confidence)?;
    let spreads = all(|b| b.log_spread);
    let spread_ratio = spreads
        .iter()
        .all(|s| s.is_finite())
        .then(|| ratio_of_logs(&spreads, confidence))
        .transpose()?;
    let median = mean_of(&all(|b| b.median));
    Ok(Shape {
        shift,
        shift_percent: 100.0 * shift.mean / median,
        spread_ratio,
        distance: mean_of(&all(|b| b.distance)),
        delta: mean_of(&all(|b| b.delta)),
    })
}

/// The median of all differences `b - a`, with the two-sided interval that inverts the Mann-Whitney test by its normal
/// approximation (Hollander, Wolfe and Chicken 2014, section 4.3). In the unit of the values.
///
/// The values are taken as independent: within one boot this describes that boot, it says nothing about the next one
/// (use [`shape`] for that).
///
/// # Errors
/// [`StatError::TooFew`] when there are too few values for an interval at this confidence; empty or non-finite input.
pub fn hodges_lehmann(a: &[f64], b: &[f64], confidence: f64) -> Result<MeanInterval, StatError> {
    check::level(confidence)?;
    check::finite(a)?;
    check::finite(b)?;
    let a = sorted(a);
    let b = sorted(b);
    let n = a.len() as f64;
    let m = b.len() as f64;
    let z = normal_quantile(f64::midpoint(1.0, confidence));
    let rank = (n * m / 2.0 - z * (n * m * (n + m + 1.0) / 12.0).sqrt()).floor();
    if rank < 1.0 {
        let have = a.len().min(b.len());
        return Err(StatError::TooFew { have, need: have + 1 });
    }
    let rank = rank as u64;
    let pairs = a.len() as u64 * b.len() as u64;
    let (low, high) =
        (difference_of_rank(&a, &b, rank), difference_of_rank(&a, &b, pairs + 1 - rank));
    let shift = median_difference(&a, &b);
    if low.is_finite() && high.is_finite() {
        Ok(MeanInterval { mean: shift, low, high, n: a.len().min(b.len()) })
    } else {
        Err(StatError::Overflow)
    }
}

/// Wasserstein-1 distance between two sets of values, in their unit: the area between their distribution functions.
pub fn wasserstein(a: &[f64], b: &[f64]) -> Result<f64, StatError> {
    check::finite(a)?;
    check::finite(b)?;
    let distance = transport(&sorted(a), &sorted(b));
    if distance.is_finite() { Ok(distance) } else { Err(StatError::Overflow) }
}

/// Cliff's delta: the share of pairs with `b` above `a` minus the share below, from -1 to 1.
pub fn cliffs_delta(a: &[f64], b: &[f64]) -> Result<f64, StatError> {
    check::finite(a)?;
    check::finite(b)?;
    Ok(dominance(&sorted(a), &sorted(b)))
}

/// One block's values; logarithm of the spreads' ratio (not finite when a spread is 0).
struct OneBlock {
    shift: f64,
    median: f64,
    log_spread: f64,
    distance: f64,
    delta: f64,
}

impl OneBlock {
    fn new(baseline: &[f64], layer: &[f64]) -> Self {
        let spread = |v: &[f64]| quantile_of_sorted(v, 0.9) - quantile_of_sorted(v, 0.1);
        let median = quantile_of_sorted(baseline, 0.5);
        Self {
            shift: median_difference(baseline, layer),
            median,
            log_spread: spread(layer).ln() - spread(baseline).ln(),
            distance: transport(baseline, layer) / median,
            delta: dominance(baseline, layer),
        }
    }
}

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}

fn quantile_of_sorted(values: &[f64], p: f64) -> f64 {
    // Two neighbours are all a quantile needs.
    let below = (p * (values.len() - 1) as f64).floor() as usize;
    let pair = [values[below], values[(below + 1).min(values.len() - 1)]];
    let weight = p * (values.len() - 1) as f64 - below as f64;
    if weight == 0.0 { pair[0] } else { quantile_in_place(&mut pair.clone(), weight) }
}

fn transport(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let m = b.len() as f64;
    let mut i = 0;
    let mut j = 0;
    let mut done = 0.0;
    let mut sum = 0.0;
    while i < a.len() && j < b.len() {
        let next_a = (i + 1) as f64 / n;
        let next_b = (j + 1) as f64 / m;
        let next = next_a.min(next_b);
        sum += (next - done) * (a[i] - b[j]).abs();
        done = next;
        if next_a <= next {
            i += 1;
        }
        if next_b <= next {
            j += 1;
        }
    }
    sum
}

fn dominance(a: &[f64], b: &[f64]) -> f64 {
    let mut below = 0_usize;
    let mut up_to = 0_usize;
    let mut score = 0.0;
    for value in b {
        while below < a.len() && a[below] < *value {
            below += 1;
        }
        while up_to < a.len() && a[up_to] <= *value {
            up_to += 1;
        }
        score += below as f64 - (a.len() - up_to) as f64;
    }
    score / (a.len() as f64 * b.len() as f64)
}
