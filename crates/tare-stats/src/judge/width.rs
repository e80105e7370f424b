//! When a row's interval has been narrow for long enough, so that the time goes to other rows.

/// No width counts before this many blocks.
const FIRST_LOOK: usize = 5;

/// How many blocks a row is measured on after its interval was narrow for the first time, and has to stay so.
const FOLLOWING: usize = 3;

/// Whether a row of `blocks` blocks needs no more: its interval was no wider than ± `target` after its last block and after
/// each of the three before it. `half_width(n)` is that of its first `n` blocks, on the log scale.
///
/// A rule that stopped at the first narrow interval would stop where the blocks happen to agree. Their variance is too small
/// there, and the interval would hold the truth in only 92% of campaigns that end after about 16 blocks. A fixed number of
/// further blocks makes up for not having known the variance (Simons, *Annals of Mathematical Statistics* 39, 1968). With
/// three of them, through which the interval has to stay narrow, it holds the truth in at least 93.4% (docs/calibration.md).
pub fn narrow_enough(blocks: usize, target: f64, half_width: impl Fn(usize) -> f64) -> bool {
    blocks >= FIRST_LOOK + FOLLOWING
        && (blocks - FOLLOWING..=blocks).all(|n| half_width(n) <= target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_to_stay_narrow_for_three_more_blocks() {
        let narrow_from = |first: usize, blocks: usize| {
            narrow_enough(blocks, 0.01, |n| if n >= first { 0.009 } else { 0.011 })
        };
        assert!(!narrow_from(2, 7) && narrow_from(2, 8), "the first look is at five blocks");
        assert!(!narrow_from(12, 14) && narrow_from(12, 15));
        assert!(!narrow_enough(20, 0.01, |n| if n == 18 { 0.02 } else { 0.0 }), "wide in between");
        assert!(!narrow_enough(20, 0.01, |_| f64::NAN));
    }
}
