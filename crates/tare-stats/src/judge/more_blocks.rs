//! How many more blocks an undecided row would need.

use crate::dist::t_critical;
use crate::judge::input::RowInput;

/// The power that is planned for, as a normal quantile: 80%.
const POWER_80: f64 = 0.841_621;

/// No more blocks than this are proposed.
const MOST_BLOCKS: usize = 10_000;

/// Blocks to add until the row's ratio, if it stays, is decided at `alpha` with 80% power; `error` and `df` are those
/// that the row was tested with. The noise floor is taken to shrink with the root of the blocks, as its interval does.
pub(crate) fn more_blocks(row: &RowInput, error: f64, df: f64, alpha: f64) -> Option<usize> {
    let blocks = row.interval.blocks as f64;
    let size = row.interval.log_ratio.abs();
    let now = Now { blocks, sd: error * blocks.sqrt(), df };
    let above_floor = blocks * (row.floor / size).powi(2);
    let difference = now.blocks_to_reach(size, alpha, above_floor);
    let equivalence = now.blocks_to_reach(row.log_margin() - size, 2.0 * alpha, 0.0);
    [difference, equivalence].into_iter().flatten().min()
}

/// What is known of a row so far.
struct Now {
    blocks: f64,
    /// Standard deviation of one block's log ratio.
    sd: f64,
    df: f64,
}

impl Now {
    /// The fewest further blocks after which `distance` is `t + 0.84` standard errors, `t` at the two-sided `tail`, and
    /// there are `least` blocks in all.
    fn blocks_to_reach(&self, distance: f64, tail: f64, least: f64) -> Option<usize> {
        if distance.is_nan() || distance <= 0.0 || least.is_nan() {
            return None;
        }
        let needed = |t: f64| ((t + POWER_80) * self.sd / distance).powi(2).ceil();
        // Student's t is above the normal, so the normal's answer is a start from below.
        let start = needed(t_critical(tail, f64::INFINITY)).max(least.floor() + 1.0);
        let mut total = start.max(self.blocks + 1.0);
        let most = self.blocks + MOST_BLOCKS as f64;
        while total <= most {
            let next = needed(t_critical(tail, self.df + total - self.blocks));
            if next <= total {
                return Some((total - self.blocks) as usize);
            }
            total += ((next - total) / 4.0).ceil();
        }
        None
    }
}
