//! How a time budget is spent. The first blocks ([`whole_blocks`]) measure everything. Later blocks measure only the rows whose
//! intervals are still wide, on those layers where a second narrows most.
//!
//! Only widths and costs decide this, never verdicts or the side of 1 on which a ratio lies: a rule that stops when it sees
//! a verdict finds one too often.

use super::budget::ENOUGH_BLOCKS;
use crate::plan::setup::Setup;
use crate::record::history::History;
use std::collections::BTreeMap;
use tare_stats::{narrow_enough, ratio_of_logs};

/// The first blocks of a campaign, in which nothing is left out.
pub(crate) const WHOLE_BLOCKS: u32 = 5;

/// The same where tare decides how often programs run: a block of a slow layer takes minutes there, and layers that are nearly as fast as the
/// baseline need more blocks than one that takes ten times as long.
const OF_PROGRAMS: u32 = ENOUGH_BLOCKS;

/// A layer is in the block if a second of it narrows its intervals at least this part as much as one of the layer that pays
/// best.
const NEAR_BEST: f64 = 0.5;

/// An interval is narrow enough, too, if its half-width is this share of the ratio's logarithm: whether a layer costs 53 or 57
/// times as much matters less than whether another costs 1% more, and would take most of the budget.
pub(crate) const OF_RATIO: f64 = 1.0 / 40.0;

/// Benchmarks to measure, by layer; a layer without any is not booted.
pub(crate) type Wanted = BTreeMap<usize, Vec<usize>>;

/// What the next block measures. With a number of blocks that is everything; with a time budget, the rows whose intervals are
/// still wide.
pub(crate) fn next_block(setup: &Setup, history: &History) -> Wanted {
    let mut layers = setup.able();
    layers.retain(|layer| !history.is_given_up(*layer));
    let field = Field::of(setup, &layers);
    if setup.plan.blocks.is_some() {
        return field.whole();
    }
    let mut wanted = field.wanted(history);
    // The effects of settings are differences between all settings of a block.
    if setup.plan.sweep.is_some() && !wanted.is_empty() {
        wanted = field.whole();
    }
    wanted.values_mut().for_each(|rows| rows.retain(|row| !history.left_out.contains(row)));
    wanted
}

/// What allocation needs to know of the campaign, and what does not change.
pub(crate) struct Field<'a> {
    pub layers: &'a [usize],
    pub baseline: usize,
    pub benches: usize,
    /// The half-width, as a fraction, at which the interval of a ratio near 1 is narrow enough.
    pub target: f64,
    /// The first blocks, in which nothing is left out.
    pub whole: u32,
}

/// The first blocks of this campaign, in which nothing is left out.
pub(crate) fn whole_blocks(setup: &Setup) -> u32 {
    let of_programs = |bench| setup.is_run_as_often_as_it_pays(bench);
    match (0..setup.benches.len()).any(of_programs) {
        true => OF_PROGRAMS,
        false => WHOLE_BLOCKS,
    }
}

impl<'a> Field<'a> {
    pub(crate) fn of(setup: &Setup, layers: &'a [usize]) -> Field<'a> {
        Field {
            layers,
            baseline: setup.baseline(),
            benches: setup.benches.len(),
            target: setup.plan.width,
            whole: whole_blocks(setup),
        }
    }

    /// Everything, on every layer.
    pub(crate) fn whole(&self) -> Wanted {
        self.layers.iter().map(|&layer| (layer, (0..self.benches).collect())).collect()
    }

    /// What the next block should measure, judged by the blocks so far. Empty when every interval is narrow enough.
    pub(crate) fn wanted(&self, history: &History) -> Wanted {
        if history.whole() < self.whole {
            return self.whole();
        }
        let mut open: BTreeMap<usize, Vec<(usize, Open)>> = BTreeMap::new();
        for &layer in self.layers {
            let rows = (0..self.benches)
                .filter_map(|bench| Some((bench, self.open(history, layer, bench)?)));
            open.insert(layer, rows.collect());
        }
        open.retain(|_, rows| !rows.is_empty());
        // The floor alone keeps a campaign going only where there is nothing else to weigh.
        if self.layers.len() > 1 && open.keys().all(|layer| *layer == self.baseline) {
            return Wanted::new();
        }
        let pays = |layer: usize, rows: &[(usize, Open)]| gain(rows) / cost(history, layer, rows);
        let best = open.iter().map(|(layer, rows)| pays(*layer, rows)).fold(0.0, f64::max);
        open.retain(|layer, rows| pays(*layer, rows) >= NEAR_BEST * best);
        let benches = |rows: Vec<(usize, Open)>| rows.into_iter().map(|(bench, _)| bench).collect();
        let mut wanted: Wanted =
            open.into_iter().map(|(layer, rows)| (layer, benches(rows))).collect();
        self.add_baseline(&mut wanted);
        wanted
    }

    /// The widest interval that a benchmark has on any layer, as a multiple of what is narrow enough; 0 when all are.
    pub(crate) fn widest(&self, history: &History, bench: usize) -> f64 {
        let open = self.layers.iter().filter_map(|&at| self.open(history, at, bench));
        open.map(|open| open.width).fold(0.0, f64::max)
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

    /// The row's interval from all blocks so far. For the baseline it is that of its A/A ratio. `None` when it has been narrow
    /// for long enough, or when the row cannot be measured at all.
    fn open(&self, history: &History, layer: usize, bench: usize) -> Option<Open> {
        let logs = history.log_ratios(layer, self.baseline, bench);
        if logs.is_empty() {
            return None;
        }
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let enough = self.target.max(OF_RATIO * mean.abs());
        let half_width = |blocks: usize| {
            let interval = ratio_of_logs(&logs[..blocks], 0.95);
            interval.map_or(f64::INFINITY, |interval| interval.half_width())
        };
        let done = narrow_enough(logs.len(), enough, half_width);
        (!done).then(|| Open { width: half_width(logs.len()) / enough, blocks: logs.len() })
    }
}

/// A row whose interval is still wide.
struct Open {
    /// The interval's half-width as a multiple of what is narrow enough; infinite when there is no interval yet.
    width: f64,
    /// The blocks that it is from.
    blocks: usize,
}

/// How much one more block narrows the intervals of `rows`, as the sum of their relative changes: a width goes with the inverse
/// square root of the number of blocks, so that of a row changes by half the inverse of that number, however wide it is.
fn gain(rows: &[(usize, Open)]) -> f64 {
    rows.iter().map(|(_, open)| 0.5 / open.blocks as f64).sum()
}

/// Seconds that `rows` take on `layer`, with its boot.
fn cost(history: &History, layer: usize, rows: &[(usize, Open)]) -> f64 {
    let series = rows.iter().filter_map(|(bench, _)| history.series_seconds(layer, *bench));
    history.overhead(layer).unwrap_or(0.0) + series.sum::<f64>().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::slot::Key;
    use crate::record::history::Kept;
    use tare_board::measured::{Figure, Measured};
    use tare_store::Role;

    fn key(block: u32, layer: usize) -> Key {
        Key { block, layer, role: Role::Weigh, bench: 0 }
    }

    /// A baseline and a layer on one benchmark, whose ratios begin wide and become narrow.
    fn judged(blocks: u32, ratio: impl Fn(u32) -> f64) -> History {
        let mut history = History::default();
        for block in 0..blocks {
            let mut keep = |layer, role, value| {
                let measured = Some(Measured { value, turns: Vec::new(), figure: Figure::Best });
                let kept = Kept { measured, seconds: 0.1, ..Kept::default() };
                history.series.insert(Key { block, layer, role, bench: 0 }, kept);
            };
            keep(0, Role::Weigh, 100.0);
            keep(0, Role::Floor, 100.0);
            keep(1, Role::Weigh, 100.0 * ratio(block));
            history.begin_block(block);
            history.end_block();
        }
        history
    }

    #[test]
    fn a_row_is_measured_until_it_has_stayed_narrow() {
        let field = Field { layers: &[0, 1], baseline: 0, benches: 1, target: 0.01, whole: 5 };
        let narrow = |blocks: u32| judged(blocks, |_| 1.5);
        for blocks in [4, 5, 7] {
            assert!(!field.wanted(&narrow(blocks)).is_empty(), "{blocks} blocks");
        }
        assert!(field.wanted(&narrow(8)).is_empty());
        let wide = judged(8, |block| if block % 2 == 0 { 1.0 } else { 1.5 });
        assert!(!field.wanted(&wide).is_empty());
    }

    #[test]
    fn a_layer_that_is_cheap_to_boot_has_more_blocks_than_one_that_is_dear() {
        let field = Field { layers: &[0, 1, 2], baseline: 0, benches: 1, target: 0.01, whole: 5 };
        let both = |cheap: u32, dear: u32| {
            let mut history = judged(cheap, |block| if block % 2 == 0 { 1.0 } else { 1.5 });
            for block in 0..dear {
                let own = &history.series[&key(block, 1)];
                let measured = own.measured.clone();
                let kept = Kept { measured, seconds: own.seconds, ..Kept::default() };
                history.series.insert(key(block, 2), kept);
            }
            for (layer, seconds) in [(0, 0.1), (1, 0.1), (2, 1.9)] {
                history.note_overhead(layer, seconds);
            }
            field.wanted(&history)
        };
        assert_eq!(both(5, 5), Wanted::from([(0, vec![0]), (1, vec![0])]), "ten times as dear");
        assert!(both(60, 5).contains_key(&2), "by now a block of it narrows more");
    }

    #[test]
    fn a_ratio_far_from_1_is_narrow_enough_sooner() {
        let field = Field { layers: &[0, 1], baseline: 0, benches: 1, target: 0.01, whole: 5 };
        let around = |ratio: f64| judged(8, move |n| if n % 2 == 0 { ratio } else { 1.06 * ratio });
        assert!(!field.wanted(&around(1.1)).is_empty(), "±3% of 1.1");
        assert!(!field.wanted(&around(1.0 / 1.16)).is_empty(), "the side of 1 does not matter");
        assert!(field.wanted(&around(50.0)).is_empty(), "±3% of 50");
        assert!(field.wanted(&around(0.02)).is_empty(), "±3% of a fiftieth");
    }

    #[test]
    fn only_rows_that_are_still_wide_are_measured_on_their_layer_and_the_baseline() {
        let field = Field { layers: &[0, 1, 2], baseline: 0, benches: 3, target: 0.01, whole: 5 };
        let mut history = History::default();
        let wide = |block: u32| if block.is_multiple_of(2) { 1.0 } else { 1.5 };
        for block in 0..8 {
            for bench in 0..3 {
                for (layer, role) in
                    [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh), (2, Role::Weigh)]
                {
                    // Row 1 is wide on layer 1, row 2 on layer 2; row 0 and the baseline are narrow.
                    let factor = if layer > 0 && bench == layer { wide(block) } else { 1.0 };
                    let measured = Some(Measured {
                        value: 100.0 * factor,
                        turns: Vec::new(),
                        figure: Figure::Best,
                    });
                    let kept = Kept { measured, seconds: 0.1, ..Kept::default() };
                    history.series.insert(Key { block, layer, role, bench }, kept);
                }
            }
            history.begin_block(block);
            history.end_block();
        }
        let expected = Wanted::from([(0, vec![1, 2]), (1, vec![1]), (2, vec![2])]);
        assert_eq!(field.wanted(&history), expected);
        assert!(field.widest(&history, 1) > 1.0);
        assert_eq!(field.widest(&history, 0), 0.0);
    }
}
