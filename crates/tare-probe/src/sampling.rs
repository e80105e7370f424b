//! Samples, one after the other: how large their batches are, and the one loop that takes them, in turns or at once.

use crate::bench::Refusal;
use crate::budget::{Budget, enough};
use crate::clock::now_ns;
use crate::turns::Turns;
use tare_proto::MAX_SAMPLES;

/// Takes samples by `sample`: as many as are `wanted` and fit into the `budget`, or, where `turns` are granted, as many as these hold.
///
/// The first sample of a turn is thrown away: caches, TLBs and branch predictors are full of what other layers did.
pub fn take<T>(
    wanted: u32,
    budget: &Budget,
    turns: &Turns,
    mut sample: impl FnMut() -> Result<T, Refusal>,
) -> Result<Vec<T>, Refusal> {
    let wanted = if turns.are_granted() { MAX_SAMPLES as u32 } else { wanted };
    let mut samples = Vec::new();
    let mut last = 0;
    let mut start = now_ns();
    while !turns.are_over() && !enough(samples.len(), wanted, budget, last, start) {
        if turns.next_sample() {
            sample()?;
            start = now_ns();
        }
        samples.push(sample()?);
        let end = now_ns();
        last = end - start;
        start = end;
    }
    Ok(samples)
}

/// A batch that lasts long enough.
pub struct Fitted {
    /// Operations in it.
    pub ops: u64,
    /// What it took, in nanoseconds.
    pub ns: u64,
    /// Batches that were tried.
    pub tries: u32,
}

/// Most batches that are tried: a clock that stands still ends no calibration.
const MOST_TRIES: u32 = 64;

/// Finds how many operations last `target` nanoseconds, by `batch`, which does as many as it is told and gives the nanoseconds.
/// Where the first batch of a size is `cold`, a size is taken only when a second one is long enough too.
pub fn fit(
    target: u64,
    cold: bool,
    mut batch: impl FnMut(u64) -> Result<u64, Refusal>,
) -> Result<Fitted, Refusal> {
    let mut found = Fitted { ops: 1, ns: 0, tries: 0 };
    while found.tries < MOST_TRIES {
        found.ns = batch(found.ops)?;
        found.tries += 1;
        if cold && found.ns >= target {
            found.ns = found.ns.min(batch(found.ops)?);
            found.tries += 1;
        }
        if found.ns >= target {
            break;
        }
        found.ops = more(found.ops, found.ns, target);
    }
    Ok(found)
}

/// How many operations to try next when `ops` took `ns` and a batch should last `target`: a little
/// over that, but a short batch is trusted only so far.
fn more(ops: u64, ns: u64, target: u64) -> u64 {
    let factor = (target as f64 * 1.2 / ns.max(1) as f64).clamp(1.2, 10.0);
    (ops as f64 * factor).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::Granted;
    use std::cell::Cell;

    /// A budget that no test reaches the end of.
    fn ample() -> Budget {
        Budget::new(now_ns(), 3_600_000)
    }

    #[test]
    fn a_batch_is_as_long_as_is_wanted_and_not_much_longer() {
        for each in [3, 70, 900_000] {
            let fitted = fit(1_000_000, true, |ops| Ok(ops * each)).unwrap();
            assert_eq!(fitted.ns, fitted.ops * each);
            assert!((1_000_000..2_000_000).contains(&fitted.ns), "{}", fitted.ns);
        }
    }

    #[test]
    fn a_size_whose_first_batch_was_long_because_it_was_cold_is_not_taken() {
        let batches = Cell::new(0);
        let cold = |ops| {
            batches.set(batches.get() + 1);
            Ok(if batches.get() == 1 { 5_000 } else { ops * 10 })
        };
        let fitted = fit(1000, true, cold).unwrap();
        assert!(fitted.ns >= 1000 && fitted.ops >= 100, "{} operations", fitted.ops);
        assert_eq!(fitted.tries, batches.get());
        batches.set(0);
        assert_eq!(fit(1000, false, cold).unwrap().ops, 1, "where it is not asked");
    }

    #[test]
    fn a_clock_that_stands_still_ends_no_calibration() {
        assert_eq!(fit(1000, true, |_| Ok(0)).unwrap().tries, MOST_TRIES);
    }

    #[test]
    fn without_turns_there_are_as_many_samples_as_are_wanted() {
        let mut all = 0..;
        let taken = take(5, &ample(), &Turns::none(), || Ok(all.next().unwrap_or(0))).unwrap();
        assert_eq!(taken, [0, 1, 2, 3, 4]);
        let none = Budget::new(0, 1);
        assert!(none.late(now_ns()) && !none.fits(0, now_ns()), "its time is long over");
        assert_eq!(take(5, &none, &Turns::none(), || Ok(7)).unwrap(), [7], "one suffices");
        let failed =
            take(5, &ample(), &Turns::none(), || Err::<u32, _>(Refusal::Failed("once".into())));
        assert!(failed.is_err());
    }

    #[test]
    fn turns_decide_how_many_there_are_and_each_begins_with_one_that_is_thrown_away() {
        let mut grants = [(2, false), (3, true)].into_iter();
        let turns =
            Turns::granted(move |_| grants.next().map(|(samples, last)| Granted { samples, last }));
        let mut all = 0..;
        let taken = take(100, &ample(), &turns, || Ok(all.next().unwrap_or(0))).unwrap();
        assert_eq!(taken, [1, 2, 4, 5, 6]);
        let held: Vec<u32> = turns.taken(taken.len());
        assert_eq!(held, [2, 3]);
        assert!(turns.taken(taken.len() + 1).is_empty(), "of other samples nothing is said");
    }
}
