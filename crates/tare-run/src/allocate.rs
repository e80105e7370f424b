//! Where the time goes: after a fixed number of whole blocks, to the rows whose intervals are widest,
//! with as many samples a boot as are worth their cost.
//!
//! Looks at widths only, never at verdicts or at which side of 1 a ratio lies, and never before
//! [`WHOLE_BLOCKS`]: a rule that stopped on a verdict would find one.

use crate::history::History;
use std::collections::BTreeMap;
use tare_stats::{Costs, components, narrow_enough, optimum, paired_ratio};
use tare_store::Role;

/// Blocks that every layer and benchmark is part of before any is left out.
pub(crate) const WHOLE_BLOCKS: u32 = 5;

/// A layer stays in the block while its widest row is at least this part of the widest of all.
const NEAR_WIDEST: f64 = 0.25;

/// Samples stay within this part and this multiple of what the benchmark asks for.
const SAMPLES: (f64, f64) = (1.0 / 3.0, 2.0);

/// Benchmarks to measure, by layer; a layer without any is not booted.
pub(crate) type Wanted = BTreeMap<usize, Vec<usize>>;

/// The campaign's fixed facts that allocation needs.
pub(crate) struct Field<'a> {
    pub layers: &'a [usize],
    pub baseline: usize,
    pub benches: usize,
    /// Half width, as a fraction, at which a row is narrow enough.
    pub target: f64,
}

impl Field<'_> {
    /// Everything, on every layer.
    pub(crate) fn whole(&self) -> Wanted {
        self.layers.iter().map(|&layer| (layer, (0..self.benches).collect())).collect()
    }

    /// What block `block` should measure, from what the blocks before it say; empty when every row
    /// is narrow enough.
    pub(crate) fn wanted(&self, history: &History, block: u32) -> Wanted {
        if block < WHOLE_BLOCKS {
            return self.whole();
        }
        let mut wide: Vec<(usize, usize, f64)> = Vec::new();
        for &layer in self.layers {
            for bench in 0..self.benches {
                if let Some(width) = self.open_width(history, block, layer, bench) {
                    wide.push((layer, bench, width));
                }
            }
        }
        // The floor alone keeps a campaign going only where there is nothing else to weigh.
        if self.layers.len() > 1 && wide.iter().all(|(layer, ..)| *layer == self.baseline) {
            return Wanted::new();
        }
        let widest = wide.iter().map(|(.., width)| *width).fold(0.0, f64::max);
        let mut by_layer: BTreeMap<usize, (f64, Vec<usize>)> = BTreeMap::new();
        for (layer, bench, width) in wide {
            let (most, benches) = by_layer.entry(layer).or_default();
            *most = most.max(width);
            benches.push(bench);
        }
        by_layer.retain(|_, (most, _)| *most >= widest * NEAR_WIDEST);
        let mut wanted: Wanted =
            by_layer.into_iter().map(|(layer, (_, benches))| (layer, benches)).collect();
        self.add_baseline(&mut wanted);
        wanted
    }

    /// A ratio needs its baseline in the same block.
    fn add_baseline(&self, wanted: &mut Wanted) {
        let mut all: Vec<usize> = wanted.values().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        if !all.is_empty() {
            wanted.insert(self.baseline, all);
        }
    }

    /// Half width of the row's interval as a fraction, from the blocks before `block`; for the
    /// baseline that of its A/A ratio. `None` when the row has been narrow for long enough, or cannot be
    /// measured at all; infinite when there is no interval yet.
    fn open_width(&self, history: &History, block: u32, layer: usize, bench: usize) -> Option<f64> {
        let value = |block, layer, role| history.value(block, layer, role, bench);
        let mut pairs = Vec::new();
        for block in 0..block {
            let first = value(block, self.baseline, Role::Weigh);
            let second = value(block, self.baseline, Role::Floor);
            let pair = if layer == self.baseline {
                first.zip(second)
            } else {
                let base = first.zip(second).map(|(a, b)| a.sqrt() * b.sqrt()).or(first).or(second);
                base.zip(value(block, layer, Role::Weigh))
            };
            pairs.extend(pair);
        }
        if pairs.is_empty() {
            return None;
        }
        let (base, values): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let half_width = |blocks: usize| {
            let interval = paired_ratio(&base[..blocks], &values[..blocks], 0.95);
            interval.map_or(f64::INFINITY, |interval| interval.half_width())
        };
        let done = narrow_enough(base.len(), self.target, half_width);
        (!done).then(|| half_width(base.len()))
    }
}

/// Samples that a series of `bench` on `layer` should hold: where variance times cost is least
/// (Kalibera and Jones), near what the benchmark asks for.
pub(crate) fn samples(
    history: &History,
    layer: usize,
    bench: usize,
    asked: u32,
    series: usize,
) -> u32 {
    let of_row = history.series.iter().filter(|(key, _)| key.1 == layer && key.3 == bench);
    let kept: Vec<_> = of_row.map(|(_, kept)| kept).filter(|kept| kept.logs.len() > 1).collect();
    let (Some(overhead), true) = (history.overhead(layer), kept.len() >= WHOLE_BLOCKS as usize)
    else {
        return asked;
    };
    let boots: Vec<Vec<&[f64]>> = kept.iter().map(|kept| vec![kept.logs.as_slice()]).collect();
    let taken: usize = kept.iter().map(|kept| kept.logs.len()).sum();
    let sample = kept.iter().map(|kept| kept.seconds).sum::<f64>() / taken as f64;
    let boot = overhead / series.max(1) as f64;
    let costs = Costs { boot, process: 0.0, sample };
    let best = components(&boots).and_then(|found| optimum(&found, &costs));
    let bounds = (f64::from(asked) * SAMPLES.0, f64::from(asked) * SAMPLES.1);
    best.map_or(asked, |best| (best.samples as f64).clamp(bounds.0, bounds.1).ceil() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Kept;

    /// A baseline and a layer on one benchmark, whose ratios begin wide and become narrow.
    fn history(blocks: u32, ratio: impl Fn(u32) -> f64) -> History {
        let mut history = History::default();
        for block in 0..blocks {
            let mut keep = |layer, role, value| {
                let kept = Kept { value: Some(value), logs: Vec::new(), seconds: 0.1 };
                history.series.insert((block, layer, role, 0), kept);
            };
            keep(0, Role::Weigh, 100.0);
            keep(0, Role::Floor, 100.0);
            keep(1, Role::Weigh, 100.0 * ratio(block));
        }
        history
    }

    #[test]
    fn a_row_is_measured_until_it_has_stayed_narrow() {
        let field = Field { layers: &[0, 1], baseline: 0, benches: 1, target: 0.01 };
        let narrow = |blocks: u32| history(blocks, |_| 1.5);
        for blocks in [4, 5, 7] {
            assert!(!field.wanted(&narrow(blocks), blocks).is_empty(), "{blocks} blocks");
        }
        assert!(field.wanted(&narrow(8), 8).is_empty());
        let wide = history(8, |block| if block % 2 == 0 { 1.0 } else { 1.5 });
        assert!(!field.wanted(&wide, 8).is_empty());
    }
}
