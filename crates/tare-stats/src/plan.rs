//! How many more blocks an undecided row would need.

use crate::dist::t_critical;
use crate::ratio::RatioInterval;
use crate::verdict::RowInput;

/// The power that is planned for, as a normal quantile: 80%.
const POWER_80: f64 = 0.841_621;

/// No more blocks than this are proposed.
const MOST_BLOCKS: usize = 10_000;

/// Blocks to add until the row's ratio, if it stays, is decided at `alpha` with 80% power.
pub(crate) fn more_blocks(row: &RowInput, alpha: f64) -> Option<usize> {
    let interval = &row.interval;
    let size = interval.log_ratio.abs();
    let difference = if size > row.floor { size } else { 0.0 };
    let plans = [(difference, alpha), (row.log_margin() - size, 2.0 * alpha)];
    plans.iter().filter_map(|&(distance, tail)| blocks_to_reach(interval, distance, tail)).min()
}

/// The fewest further blocks after which `distance` is `t + 0.84` standard errors, `t` at the two-sided `tail`.
fn blocks_to_reach(interval: &RatioInterval, distance: f64, tail: f64) -> Option<usize> {
    if distance <= 0.0 {
        return None;
    }
    let needed = |t: f64| ((t + POWER_80) * interval.log_sd / distance).powi(2).ceil();
    // Student's t is above the normal, so the normal's answer is a start from below.
    let mut total = needed(t_critical(tail, f64::INFINITY)).max(interval.blocks as f64 + 1.0);
    let most = interval.blocks as f64 + MOST_BLOCKS as f64;
    while total <= most {
        let next = needed(t_critical(tail, interval.df + total - interval.blocks as f64));
        if next <= total {
            return Some(total as usize - interval.blocks);
        }
        total += ((next - total) / 4.0).ceil();
    }
    None
}
