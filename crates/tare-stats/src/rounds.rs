//! A block's log ratio from rounds: both sides took turns, and what the machine did meanwhile cancels within a round.

use crate::estimator::Best;
use crate::ratio::log_ratio;
use crate::summary::median;

/// Fewest rounds that a log ratio is taken from; with less, the values of whole series are divided.
pub const FEWEST_ROUNDS: usize = 3;

/// The log ratio `layer / base` of a block from the values of their turns, paired by round: the median of the log ratios
/// of the quieter half of the rounds. `None` with fewer than [`FEWEST_ROUNDS`] rounds, or where less than half of the
/// rounds have a positive value on both sides (a turn that has none is NaN: what was subtracted was as large as what was
/// measured).
///
/// A round is quiet where both sides are good (low, when `best` is the lowest) among their own turns: a neighbour's burst that hits one turn of a round
/// makes it loud. Neither the choice nor the median prefers a side, so for a layer that is the baseline itself the
/// expectation is zero, however skewed the noise. `cargo xtask calibrate` compares other centres (docs/calibration.md).
#[must_use]
pub fn rounds_log_ratio(layer: &[f64], base: &[f64], best: Best) -> Option<f64> {
    let rounds = layer.len().min(base.len());
    let pairs = layer.iter().zip(base).filter(|(layer, base)| **layer > 0.0 && **base > 0.0);
    let (layer, base): (Vec<f64>, Vec<f64>) = pairs.unzip();
    if layer.len() < FEWEST_ROUNDS || 2 * layer.len() < rounds {
        return None;
    }
    let loudness: Vec<usize> =
        ranks(&layer, best).into_iter().zip(ranks(&base, best)).map(|(a, b)| a.max(b)).collect();
    let mut order: Vec<usize> = (0..layer.len()).collect();
    order.sort_by_key(|&round| loudness[round]); // stable
    let kept = order.len().div_ceil(2).max(FEWEST_ROUNDS);
    let log = |&round: &usize| log_ratio(base[round], layer[round]);
    median(&order[..kept].iter().map(log).collect::<Vec<f64>>()).ok()
}

/// The rank of each value, from 0 for the best; equal values share the better rank.
fn ranks(values: &[f64], best: Best) -> Vec<usize> {
    let better = |a: f64, b: f64| match best {
        Best::Lowest => a < b,
        Best::Highest => a > b,
    };
    let above = |value: &f64| values.iter().filter(|other| better(**other, *value)).count();
    values.iter().map(above).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_sides_share_in_a_round_cancels_and_a_burst_moves_nothing() {
        let machine = [0.0, 0.3, -0.2, 0.9, 0.1];
        let base: Vec<f64> = machine.iter().map(|shift: &f64| shift.exp()).collect();
        let mut layer: Vec<f64> = base.iter().map(|value| value * 0.02_f64.exp()).collect();
        assert!((rounds_log_ratio(&layer, &base, Best::Lowest).unwrap() - 0.02).abs() < 1e-12);
        layer[2] *= 5.0;
        assert!((rounds_log_ratio(&layer, &base, Best::Lowest).unwrap() - 0.02).abs() < 1e-12);
        let back = rounds_log_ratio(&base, &layer, Best::Lowest).unwrap();
        assert!((back + 0.02).abs() < 1e-12, "antisymmetric");
    }

    #[test]
    fn too_few_rounds_say_nothing() {
        let turns = [1.0, 1.1, 1.2, f64::NAN, f64::NAN, f64::NAN, f64::NAN];
        assert_eq!(rounds_log_ratio(&turns[..2], &turns[..2], Best::Lowest), None);
        assert_eq!(rounds_log_ratio(&turns, &[1.0; 7], Best::Lowest), None);
        assert!(rounds_log_ratio(&turns[..5], &[1.0; 7], Best::Lowest).is_some());
    }
}
