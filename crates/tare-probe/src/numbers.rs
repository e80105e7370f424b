//! A xorshift generator (Marsaglia 2003; shifts 13, 7, 17): the same numbers in every boot of every layer.

/// The next number after `state`, which is never 0.
#[inline(always)]
pub fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
