//! A block's log ratio from rounds. Both sides take one turn in every round, so what the machine does meanwhile cancels within
//! the round.

use crate::interval::ratio::log_ratio;
use crate::series::summary::median;

/// Fewest rounds that a log ratio is taken from. With fewer, the values of the whole series are divided instead.
pub const FEWEST_ROUNDS: usize = 3;

/// The log ratio `layer / base` of a block from the values of their turns, paired by round: the median of the rounds' log
/// ratios. `None` with fewer than [`FEWEST_ROUNDS`] rounds, or where less than half of the rounds have a positive value on
/// both sides (a turn that has none is NaN: what was subtracted was as large as what was measured).
///
/// A neighbour's burst hits single turns and moves a median least; `cargo xtask calibrate` compares other centres
/// (docs/calibration.md). The median prefers no side: for a layer that is the baseline itself, its expectation is zero,
/// however skewed the noise.
#[must_use]
pub fn rounds_log_ratio(layer: &[f64], base: &[f64]) -> Option<f64> {
    let rounds = layer.len().min(base.len());
    let pairs = layer.iter().zip(base).filter(|(layer, base)| **layer > 0.0 && **base > 0.0);
    let logs: Vec<f64> = pairs.map(|(layer, base)| log_ratio(*base, *layer)).collect();
    let enough = logs.len() >= FEWEST_ROUNDS && 2 * logs.len() >= rounds;
    enough.then(|| median(&logs).ok()).flatten()
}

/// The same of what a caller pays on average: the quotient of the sums of their turns' means. A cost that comes in bursts hits few
/// turns, and the median of the rounds would not see it. `None` under the same conditions.
///
/// A layer that is the baseline itself has the expectation zero here, too, since the sides can be exchanged; the price is that a
/// neighbour's burst hits one side or the other and widens the interval over blocks.
#[must_use]
pub fn rounds_log_ratio_of_means(layer: &[f64], base: &[f64]) -> Option<f64> {
    let rounds = layer.len().min(base.len());
    let pairs = layer.iter().zip(base).filter(|(layer, base)| **layer > 0.0 && **base > 0.0);
    let (mut taken, mut above, mut below) = (0, 0.0, 0.0);
    for (layer, base) in pairs {
        taken += 1;
        above += layer;
        below += base;
    }
    (taken >= FEWEST_ROUNDS && 2 * taken >= rounds).then(|| log_ratio(below, above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_sides_share_in_a_round_cancels_and_a_burst_moves_nothing() {
        let machine = [0.0, 0.3, -0.2, 0.9, 0.1];
        let base: Vec<f64> = machine.iter().map(|shift: &f64| shift.exp()).collect();
        let mut layer: Vec<f64> = base.iter().map(|value| value * 0.02_f64.exp()).collect();
        assert!((rounds_log_ratio(&layer, &base).unwrap() - 0.02).abs() < 1e-12);
        layer[2] *= 5.0;
        assert!((rounds_log_ratio(&layer, &base).unwrap() - 0.02).abs() < 1e-12);
        let back = rounds_log_ratio(&base, &layer).unwrap();
        assert!((back + 0.02).abs() < 1e-12, "antisymmetric");
    }

    #[test]
    fn a_burst_in_one_of_ten_rounds_is_in_the_means_alone() {
        let base = [1.0; 10];
        let mut layer = base;
        layer[3] = 1.2;
        assert_eq!(rounds_log_ratio(&layer, &base), Some(0.0));
        assert!((rounds_log_ratio_of_means(&layer, &base).unwrap() - 1.02_f64.ln()).abs() < 1e-12);
        assert_eq!(rounds_log_ratio_of_means(&layer[..2], &base), None, "too few");
    }

    #[test]
    fn too_few_rounds_say_nothing() {
        let turns = [1.0, 1.1, 1.2, f64::NAN, f64::NAN, f64::NAN, f64::NAN];
        assert_eq!(rounds_log_ratio(&turns[..2], &turns[..2]), None);
        assert_eq!(rounds_log_ratio(&turns, &[1.0; 7]), None);
        assert!(rounds_log_ratio(&turns[..5], &[1.0; 7]).is_some());
    }
}
