//! The figures of a cell: ratios and means over blocks.

use serde::Serialize;
use tare_stats::{RatioInterval, RatioPoint};

/// A ratio layer / baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The geometric mean over the blocks.
    pub value: f64,
    /// Lower end of its confidence interval; none with one block.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Blocks it rests on.
    pub blocks: usize,
}

/// Which of a turn's samples its value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// The best: an undisturbed operation.
    Best,
    /// The mean: what a caller pays on average, with all that interrupts it.
    Mean,
    /// The median.
    Median,
    /// None: what all samples of a series are reduced to is compared, as its slowest hundredth.
    Whole,
}

/// A ratio by several figures of the operation on either side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Of the best case: the best samples of short turns, which nothing has interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Ratio>,
    /// Of the mean over all samples: what a caller pays on average, with all that interrupts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<Ratio>,
    /// Of the 99th percentile of all samples, each of which is a batch of operations; where each side has a hundred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99: Option<Ratio>,
}

impl Figures {
    /// Whether the campaign has but one figure: another tool took it, or the reader chose an estimator.
    pub(crate) fn is_empty(&self) -> bool {
        self.best.is_none() && self.mean.is_none()
    }
}

impl From<&RatioInterval> for Ratio {
    fn from(i: &RatioInterval) -> Ratio {
        Ratio { value: i.ratio, low: Some(i.low), high: Some(i.high), blocks: i.blocks }
    }
}

impl From<RatioPoint> for Ratio {
    fn from(point: RatioPoint) -> Ratio {
        Ratio { value: point.ratio, low: None, high: None, blocks: point.blocks }
    }
}

/// What was subtracted of a row, and the ratio of the whole operations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Subtracted {
    /// The part of the layer's whole operation that is subtracted, 0 to 1.
    pub layer: f64,
    /// The part of the baseline's.
    pub baseline: f64,
    /// Whole operation of the layer / whole operation of the baseline.
    pub whole: Ratio,
}

/// The geometric means behind a ratio, over the blocks that have both, in the row's unit: `layer / baseline` is the ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// The layer's.
    pub layer: f64,
    /// The baseline's.
    pub baseline: f64,
}

/// A geometric mean over blocks, in the row's unit, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The geometric mean.
    pub mean: f64,
    /// Whole width of its confidence interval as a percentage of the mean; none with one block.
    pub ci_width_percent: Option<f64>,
    /// Blocks it rests on.
    pub blocks: usize,
}
