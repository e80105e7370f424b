//! The order within a block: shuffled by the campaign's seed, so that the same seed always gives the same order.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::SplitMix64;
use tare_store::Role;

/// The boots of block `block`, in order: every layer once, the baseline twice. Layers are numbered
/// as in the campaign.
pub fn block_order(seed: u64, block: u32, layers: &[usize], baseline: usize) -> Vec<(usize, Role)> {
    let weighed = layers.iter().map(|&layer| (layer, Role::Weigh));
    let slots: Vec<_> = weighed.chain([(baseline, Role::Floor)]).collect();
    shuffled(seed, 2 * u64::from(block), slots)
}

/// A number that depends on `seed` and `at` only, and is independent of those that the orders use.
pub(crate) fn draw(seed: u64, at: u64) -> u64 {
    let mut source = SplitMix64::seed_from_u64(!seed ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    source.next_u64()
}

/// `items` in an order that `seed` and `round` decide (Fisher–Yates).
pub fn shuffled<T>(seed: u64, round: u64, mut items: Vec<T>) -> Vec<T> {
    let mut source = SplitMix64::seed_from_u64(seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for last in (1..items.len()).rev() {
        // The bias of the multiplication is below n/2^64.
        let pick = (u128::from(source.next_u64()) * (last as u128 + 1)) >> 64;
        items.swap(last, pick as usize);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_order_on_every_machine() {
        let order = |seed, block| -> Vec<usize> {
            block_order(seed, block, &[0, 1, 2, 3], 0).into_iter().map(|(layer, _)| layer).collect()
        };
        assert_eq!(order(7, 0), order(7, 0));
        // Fixed for ever: a campaign's seed must mean the same in the next release.
        assert_eq!(shuffled(1, 0, (0..8).collect::<Vec<_>>()), EXPECTED);
        let distinct: std::collections::BTreeSet<_> =
            (0..50).map(|block| order(7, block)).collect();
        assert!(distinct.len() > 20, "blocks must differ in order, only {} do", distinct.len());
    }

    const EXPECTED: [usize; 8] = [0, 3, 7, 1, 2, 6, 5, 4];

    #[test]
    fn every_block_holds_every_layer_once_and_the_baseline_twice() {
        for block in 0..20 {
            let mut slots = block_order(3, block, &[0, 2, 5], 2);
            slots.sort();
            let expected = [(0, Role::Weigh), (2, Role::Weigh), (2, Role::Floor), (5, Role::Weigh)];
            assert_eq!(slots, expected);
        }
    }
}
