//! When to begin another block, and how long one series may take.

use std::time::{Duration, Instant};
use tare_proto::BenchInfo;

/// A campaign whose time is given should hold at least this many blocks.
const BLOCKS_WANTED: f64 = 5.0;

/// Fewest blocks from which a campaign says anything of a layer: the first ones are planned so that as many fit.
pub const ENOUGH_BLOCKS: u32 = 3;

/// A block that would end this far over the budget is still begun: predictions are no better.
const TOLERANCE: f64 = 1.02;

/// Bounds of the time for one series, in seconds.
const SERIES: (f64, f64) = (0.05, 1.0);

/// The time or the blocks of a campaign, as they are used up.
pub(crate) struct Budget {
    seconds: Option<f64>,
    blocks: Option<u32>,
    /// Used by earlier runs of this campaign.
    before: f64,
    start: Instant,
}

impl Budget {
    pub(crate) fn new(seconds: Option<f64>, blocks: Option<u32>, before: f64) -> Budget {
        Budget { seconds, blocks, before, start: Instant::now() }
    }

    /// Seconds used, earlier runs included.
    pub(crate) fn used(&self) -> f64 {
        self.before + self.start.elapsed().as_secs_f64()
    }

    /// Whether a block that should take `predicted` seconds is to begin after `done` blocks. The
    /// first always is: a scoreboard of nothing helps nobody.
    pub(crate) fn allows(&self, done: u32, predicted: f64) -> bool {
        match (self.blocks, self.seconds) {
            (Some(blocks), _) => done < blocks,
            (None, Some(seconds)) => done == 0 || self.used() + predicted <= seconds * TOLERANCE,
            (None, None) => done < BLOCKS_WANTED as u32,
        }
    }

    /// Seconds that are left, where time is what is given.
    pub(crate) fn left(&self) -> Option<f64> {
        let seconds = self.seconds.filter(|_| self.blocks.is_none())?;
        Some((seconds * TOLERANCE - self.used()).max(0.0))
    }

    /// Seconds that the next block may take after `done`, so that [`ENOUGH_BLOCKS`] fit; none where blocks are counted.
    pub(crate) fn share(&self, done: u32) -> Option<f64> {
        Some(self.left()? / f64::from(ENOUGH_BLOCKS.saturating_sub(done).max(1)))
    }

    /// Blocks that there will be, when `done` are done and one takes `predicted` seconds.
    pub(crate) fn expected_blocks(&self, done: u32, predicted: f64) -> u32 {
        match (self.blocks, self.seconds) {
            (Some(blocks), _) => blocks,
            (None, Some(seconds)) if predicted > 0.0 => {
                let more = ((seconds * TOLERANCE - self.used()) / predicted).max(0.0) as u32;
                (done + more).max(1)
            }
            _ => BLOCKS_WANTED as u32,
        }
    }

    /// How much is done, from 0 to 1, and how long the rest takes, when `boots` of `of` boots of
    /// the current block are done after `done` whole blocks.
    pub(crate) fn progress(
        &self,
        done: u32,
        boots: usize,
        of: usize,
        predicted: f64,
    ) -> (f64, Duration) {
        let blocks = f64::from(done) + boots as f64 / of.max(1) as f64;
        let all = f64::from(self.expected_blocks(done + 1, predicted)).max(blocks);
        let left = (all - blocks) * predicted;
        (blocks / all, Duration::from_secs_f64(left.max(0.0)))
    }
}

/// Milliseconds that one series may take, so that enough blocks fit into the budget: `start` is
/// what all boots of a block take without measuring, in seconds.
///
/// Benchmarks that have a time of their own ([`BenchInfo::series_ms`]) take it first.
pub fn series_ms(budget: Option<f64>, start: f64, boots: usize, benches: &[BenchInfo]) -> u64 {
    let Some(budget) = budget else { return 500 };
    let boots = boots.max(1) as f64;
    let own: u64 = benches.iter().map(|bench| bench.series_ms).sum();
    let others = benches.iter().filter(|bench| bench.series_ms == 0).count().max(1);
    let block = budget / BLOCKS_WANTED - start - boots * own as f64 / 1000.0;
    let series = block / (boots * others as f64);
    (series.clamp(SERIES.0, SERIES.1) * 1000.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_begins_when_it_should_end_within_the_budget_and_the_first_always() {
        let after = |used| Budget::new(Some(100.0), None, used);
        assert!(after(500.0).allows(0, 10.0), "a scoreboard of nothing helps nobody");
        assert!(after(80.0).allows(1, 20.0), "2% over are allowed");
        assert!(!after(80.0).allows(1, 23.0));
        assert_eq!(after(200.0).left(), Some(0.0));
        let counted = Budget::new(Some(1.0), Some(3), 500.0);
        assert!(
            counted.allows(2, 1e9) && !counted.allows(3, 0.0),
            "a number of blocks takes what it takes"
        );
        assert_eq!(counted.share(0), None);
    }

    #[test]
    fn the_first_blocks_share_what_is_left_and_later_ones_may_take_all() {
        let share = |done| Budget::new(Some(300.0), None, 6.0).share(done).unwrap();
        for (done, expected) in [(0, 100.0), (1, 150.0), (2, 300.0), (9, 300.0)] {
            assert!((share(done) - expected).abs() < 0.1, "{done}: {}", share(done));
        }
    }

    #[test]
    fn progress_reaches_the_end_with_the_last_boot_of_the_last_block() {
        let counted = Budget::new(None, Some(2), 0.0);
        assert_eq!(counted.progress(0, 2, 4, 10.0), (0.25, Duration::from_secs(15)));
        assert_eq!(counted.progress(1, 4, 4, 10.0), (1.0, Duration::ZERO));
    }

    #[test]
    fn series_are_as_long_as_the_budget_has_time_for_within_bounds() {
        let benches = |own: &[u64]| -> Vec<BenchInfo> {
            own.iter().map(|&series_ms| BenchInfo { series_ms, ..BenchInfo::default() }).collect()
        };
        // 100 s for five blocks: 20 s each, of which boots take 8 s; 12 s for 10 boots of 4 rows.
        assert_eq!(series_ms(Some(100.0), 8.0, 10, &benches(&[0; 4])), 300);
        // One row takes its own 600 ms on each boot; the other three share the remaining 6 s.
        assert_eq!(series_ms(Some(100.0), 8.0, 10, &benches(&[600, 0, 0, 0])), 200);
        assert_eq!(series_ms(Some(1.0), 8.0, 10, &benches(&[0])), 50);
        assert_eq!(series_ms(Some(1e6), 8.0, 10, &benches(&[0])), 1000);
    }
}
