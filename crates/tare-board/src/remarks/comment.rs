//! What is unusual about one cell: a short label for a table, and a full-sentence explanation.

use crate::figures::{Figure, Ratio};
use crate::format::{digits, quantity, quantity_and_ends, ratio_with_interval, short_ratio};
use crate::remarks::finding::Finding;
use serde::Serialize;
use tare_proto::{Unit, Untrusted};

/// A remark on one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "Spelled")]
pub enum Comment {
    /// One block gives a ratio without an interval.
    OneBlock,
    /// One imported figure gives a ratio without an interval.
    SingleFigure,
    /// Layer and baseline both have a value in `have` of the `of` blocks in which both were asked for it.
    MissingBlocks {
        /// Blocks used.
        have: usize,
        /// Blocks that should have a value.
        of: usize,
    },
    /// Half of the interval is wider than [`Comment::WIDE`].
    WideInterval {
        /// Half its width, in percent.
        percent: f64,
    },
    /// The blocks agree to the last digit, so the interval has no width.
    NoSpread,
    /// A difference was shown, but within the noise floor, so it is not called one.
    WithinFloor,
    /// The layer's clock ran at another speed than the host's during this benchmark.
    ClockDrift {
        /// How much faster the layer's clock ran, in percent.
        percent: f64,
    },
    /// Batches under a hundred times the clock's resolution.
    ShortBatch,
    /// Fewer samples than half of what the estimator stands for.
    FewSamples {
        /// The fewest in any block.
        least: usize,
        /// What was asked for.
        wanted: u32,
    },
    /// Series thrown away because their samples are no times, rates or sizes.
    Rejected {
        /// How many series.
        series: usize,
        /// What is wrong with the first.
        why: Untrusted,
    },
    /// Most of what was measured is subtracted, on the layer or on the baseline.
    MostlySubtracted {
        /// The larger of the two parts, in percent.
        percent: f64,
        /// The ratio of the whole operations.
        whole: f64,
    },
    /// Samples that are zero or below: what was subtracted from them was as large as they were.
    NotPositive {
        /// How many.
        samples: usize,
        /// Of how many.
        of: usize,
        /// The baseline's, not the layer's.
        baseline: bool,
    },
    /// The layer had less room, or another opinion, and worked on another amount of memory than the baseline.
    OtherSize {
        /// Bytes on the layer.
        layer: f64,
        /// Bytes on the baseline.
        baseline: f64,
    },
    /// Less of what the layer read and wrote came from the host's disks than of the baseline's.
    Cached {
        /// Bytes that the disks moved for each byte of the layer's.
        layer: f64,
        /// The same of the baseline.
        baseline: f64,
    },
    /// The layer took all samples at once and is divided by a baseline that took turns, or the other way round.
    UnlikeSeries,
    /// The best case and the mean say different things.
    Apart {
        /// The figure that the verdict is not about.
        other: Figure,
        /// The ratio by that figure.
        ratio: Ratio,
    },
    /// A balloon moved memory meanwhile.
    Moved {
        /// Pages in 10⁹ ticks of the layer's clock.
        rate: f64,
        /// What those ticks are.
        clock: Unit,
        /// What a page costs, and the ends of its interval, in ticks. None without a control as baseline.
        cost: Option<(f64, [Option<f64>; 2])>,
    },
    /// What the samples or the blocks show, where it may mislead about the ratio.
    Found(Finding),
}

impl Comment {
    /// An interval is called wide when half of it exceeds this (log scale, so about ± 10%).
    pub const WIDE: f64 = 0.25;

    /// A name for programs.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Comment::OneBlock => "one_block",
            Comment::SingleFigure => "single_figure",
            Comment::MissingBlocks { .. } => "missing_blocks",
            Comment::WideInterval { .. } => "wide_interval",
            Comment::NoSpread => "no_spread",
            Comment::WithinFloor => "within_floor",
            Comment::ClockDrift { .. } => "clock_drift",
            Comment::ShortBatch => "short_batch",
            Comment::FewSamples { .. } => "few_samples",
            Comment::Rejected { .. } => "rejected",
            Comment::MostlySubtracted { .. } => "mostly_subtracted",
            Comment::NotPositive { .. } => "not_positive",
            Comment::OtherSize { .. } => "other_size",
            Comment::Cached { .. } => "cached",
            Comment::UnlikeSeries => "unlike_series",
            Comment::Apart { .. } => "figures_apart",
            Comment::Moved { .. } => "balloon",
            Comment::Found(finding) => finding.kind,
        }
    }

    /// A few words for a table.
    #[must_use]
    pub fn label(&self) -> Untrusted {
        let text = match self {
            Comment::OneBlock => "one block: no interval".into(),
            Comment::SingleFigure => "single figure".into(),
            Comment::MissingBlocks { have, of } => format!("in {have} of {of} blocks"),
            Comment::WideInterval { percent } => format!("wide interval ({})", half(*percent)),
            Comment::NoSpread => "no spread".into(),
            Comment::WithinFloor => "within the noise floor".into(),
            Comment::ClockDrift { percent } => format!("its clock ran {}", fast_or_slow(*percent)),
            Comment::ShortBatch => "short batch".into(),
            Comment::FewSamples { least, wanted } => {
                format!("only {least} of {wanted} samples fitted into the time")
            }
            Comment::Rejected { series: 1, why } => format!("1 series rejected: {}", why.raw()),
            Comment::Rejected { series, why } => format!("{series} series rejected: {}", why.raw()),
            Comment::MostlySubtracted { percent, whole } => {
                format!("{percent:.0}% subtracted; whole operation {}", short_ratio(*whole))
            }
            Comment::NotPositive { samples, of, baseline } => {
                let whose = if *baseline { " of the baseline" } else { "" };
                format!("{samples} of {of} samples{whose} not above zero")
            }
            Comment::OtherSize { layer, baseline } => {
                format!("worked on {} MiB, not {}", mebibytes(*layer), mebibytes(*baseline))
            }
            Comment::Cached { layer, .. } => format!("{:.0}% of it from a disk", 100.0 * layer),
            Comment::UnlikeSeries => "whole series against turns".into(),
            Comment::Apart { other, ratio } => {
                let figure = match other {
                    Figure::Best => "at its best",
                    _ => "on average",
                };
                format!("{figure} {}", ratio_with_interval(ratio))
            }
            Comment::Moved { rate: 0.0, .. } => "its balloon moved no page".into(),
            Comment::Moved { rate, clock, cost } => {
                let moved = format!("its balloon moved {} pages {}", digits(*rate), per(*clock));
                let cost = cost.filter(|(cost, _)| *cost > 0.0);
                let cost = cost.map(|(cost, _)| format!(", {} a page", quantity(*clock, cost)));
                moved + &cost.unwrap_or_default()
            }
            Comment::Found(finding) => finding.text.clone(),
        };
        text.into()
    }

    /// What it means for the reader.
    #[must_use]
    pub fn sentence(&self) -> Untrusted {
        let text = match self {
            Comment::OneBlock => "With one block there is no interval and no verdict; run at least two, better five.".into(),
            Comment::SingleFigure => "A single figure has no interval and no verdict; import several runs of each layer for those.".into(),
            Comment::MissingBlocks { have, of } => {
                format!("Only {have} of {of} blocks have this benchmark on both this layer and the baseline; the ratio uses those.")
            }
            Comment::WideInterval { percent } => {
                format!("The interval's half-width is {}, so the ratio is only rough; more blocks would narrow it.", half(*percent))
            }
            Comment::NoSpread => "Every block gave the same value: it repeats to the last digit, or the clock is too coarse.".into(),
            Comment::WithinFloor => "The difference is significant, but no larger than the baseline's difference from itself.".into(),
            Comment::ClockDrift { percent } => {
                format!("During this benchmark the layer's clock ran {} compared with the host's, and the times are measured with the layer's clock.", fast_or_slow(*percent))
            }
            Comment::ShortBatch => "The timed batch was under a hundred times the clock's resolution, so values are coarse.".into(),
            Comment::FewSamples { least, wanted } => {
                format!("In some block there was time for only {least} of the {wanted} samples that the estimator is meant for.")
            }
            Comment::Rejected { series, why } => {
                format!("Series that could not be reduced to a value: {series}; the first because {}.", why.raw())
            }
            Comment::MostlySubtracted { percent, whole } => {
                format!("{percent:.0}% of the measurement is subtracted, so the ratio compares small differences of large numbers; that of the whole operation is {}. The row gets no verdict that the whole operation does not show, and no geometric mean includes it.", short_ratio(*whole))
            }
            Comment::NotPositive { samples, of, baseline } => {
                let whose = if *baseline { "baseline" } else { "layer" };
                format!("{samples} of {of} samples of the {whose} are zero or below: what was subtracted was as large as the whole operation, so the row is near the limit of what can be measured.")
            }
            Comment::OtherSize { layer, baseline } => {
                format!("The layer worked on {} MiB and the baseline on {}, so a different share of it fits into their caches; give the layer more memory.", mebibytes(*layer), mebibytes(*baseline))
            }
            Comment::Cached { layer, baseline } => {
                format!("Of what the layer read and wrote, {:.0}% came from a disk of this host or went there, and {:.0}% on the baseline: the layer answers from a cache, and the row compares that with a disk.", 100.0 * layer, 100.0 * baseline)
            }
            Comment::UnlikeSeries => "Either the layer or the baseline took turns, and the other took all samples at once. On a busy machine the best samples of turns are lower, so the ratio is biased; measure again with this version of tare, which measures the baseline both ways.".into(),
            Comment::Apart { other: Figure::Best, ratio } => {
                format!("The verdict is about the mean. At its best the ratio is {}: something interrupts the layer more, or less, than the baseline.", ratio_with_interval(ratio))
            }
            Comment::Apart { ratio, .. } => {
                format!("The verdict is about the best case. On average over all samples the ratio is {}: something interrupts the layer more, or less, than the baseline.", ratio_with_interval(ratio))
            }
            Comment::Moved { rate, clock, cost } => {
                let moved = format!("Meanwhile the layer's balloon moved {} pages of 4 KiB {}.", digits(*rate), per(*clock));
                let cost = cost.map(|(cost, [low, high])| {
                    let cost = quantity_and_ends(*clock, cost, (low, high));
                    format!(" The time that this took away, divided by the pages, is {cost} a page.")
                });
                moved + &cost.unwrap_or_default()
            }
            Comment::Found(finding) => finding.sentence(),
        };
        text.into()
    }
}

fn mebibytes(bytes: f64) -> String {
    format!("{:.0}", bytes / f64::from(1 << 20))
}

/// What a rate is for.
fn per(clock: Unit) -> &'static str {
    match clock {
        Unit::Instructions => "in 10⁹ instructions",
        _ => "a second",
    }
}

/// Half an interval: `±12%`, or `a factor of 3.4`.
fn half(percent: f64) -> String {
    if percent < 100.0 {
        format!("±{percent:.0}%")
    } else {
        format!("a factor of {}", short_ratio(1.0 + percent / 100.0))
    }
}

/// `6.2% slow` for a clock that made 93.8 seconds of 100.
pub(crate) fn fast_or_slow(percent: f64) -> String {
    format!("{:.1}% {}", percent.abs(), if percent < 0.0 { "slow" } else { "fast" })
}

/// How a remark is spelled out in JSON.
#[derive(Serialize)]
pub(crate) struct Spelled {
    pub(crate) kind: &'static str,
    pub(crate) label: Untrusted,
    pub(crate) text: Untrusted,
}

impl From<Comment> for Spelled {
    fn from(comment: Comment) -> Spelled {
        Spelled { kind: comment.kind(), label: comment.label(), text: comment.sentence() }
    }
}
