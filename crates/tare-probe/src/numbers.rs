//! A xorshift generator (Marsaglia 2003; shifts 13, 7, 17): the same numbers in every boot of every layer.

/// A state to begin with: the golden ratio's bits, as many ones as zeros.
pub const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next number after `state`, which is never 0.
#[inline(always)]
pub fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
