//! How many rounds a benchmark is measured in, and how many samples make a turn.

use super::samples::Samples;
use std::time::Duration;
use tare_proto::BenchInfo;
use tare_stats::{Estimator, FEWEST_ROUNDS};

/// Rounds of a benchmark whose samples are batches of a loop.
pub(crate) const ROUNDS: u32 = 15;

/// Most samples of a turn of such a benchmark. A turn's value is its best sample: a few short ones find a quiet moment more
/// surely than one long one does. A turn costs tare the same whatever its length: with 16 instead of 8 tare took a third less of a
/// CPU, and campaigns of the same length had intervals of the same width. With 24 those of short campaigns were wider.
pub(crate) const MOST: u32 = 16;

/// The part of a series' time that its turns may take by plan.
const SHARE: f64 = 0.8;

/// What a row's turns look like, the same on every layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turns {
    pub rounds: u32,
    /// Samples of each.
    pub samples: u32,
    /// Whether the samples are batches of a loop, of which the first in a turn is thrown away.
    pub batches: bool,
}

impl Turns {
    /// The turns of `bench`; `None` where each layer takes all samples at once. `rounds` are those that pay best, by
    /// benchmark, where that is known.
    pub(crate) fn of(bench: &BenchInfo, at: usize, rounds: &Samples) -> Option<Turns> {
        let until = matches!(bench.estimator.parse(), Ok(Estimator::MeanUntil { .. }));
        let turns = match bench.series_ms {
            0 => Turns {
                rounds: rounds.get(&at).copied().unwrap_or(ROUNDS),
                samples: MOST,
                batches: true,
            },
            // What takes its own samples takes turns of one.
            _ => Turns {
                rounds: rounds.get(&at).copied().unwrap_or(bench.samples),
                samples: 1,
                batches: false,
            },
        };
        // Two turns are better than two samples at once, where the number was chosen.
        let fewest = if rounds.contains_key(&at) { 2 } else { FEWEST_ROUNDS };
        (!until && turns.rounds as usize >= fewest).then_some(turns)
    }

    /// The same within `limit_ms` on the slowest layer, where a sample takes `sample_ns` (0: nobody knows): first with
    /// fewer samples in a turn, then in fewer rounds.
    pub(crate) fn within(self, limit_ms: u64, sample_ns: u64) -> Turns {
        if !self.batches || sample_ns == 0 {
            return self;
        }
        let fit = SHARE * limit_ms as f64 * 1e6 / sample_ns as f64;
        let samples = (fit / f64::from(self.rounds) - 1.0).clamp(1.0, f64::from(self.samples));
        let rounds = (fit / 2.0).clamp(FEWEST_ROUNDS as f64, f64::from(self.rounds));
        Turns { rounds: rounds as u32, samples: samples as u32, ..self }
    }

    /// Whether `round`, counted from 1, has to be the last, since those before it took `so_far` of the time that the row may
    /// take and another after it would end later. A layer may be slow to answer whatever its samples take.
    pub(crate) fn is_last(self, round: u32, so_far: Duration, within: Option<Duration>) -> bool {
        let done = round - 1;
        let late = |within: Duration| so_far + 2 * so_far / done.max(1) > within;
        round == self.rounds || (round >= FEWEST_ROUNDS as u32 && within.is_some_and(late))
    }

    /// Rounds of a layer whose run takes `run_ns` where that of the baseline takes `base_ns` (0: nobody knows): no more time than a boot of
    /// the baseline has, but one round at least. A ratio far from 1 is narrow enough with fewer runs, and its layer would take most of
    /// the row's time.
    pub(crate) fn rounds_of(self, run_ns: u64, base_ns: u64) -> u32 {
        if run_ns == 0 || base_ns == 0 {
            return self.rounds;
        }
        let share = (base_ns as f64 / run_ns as f64).min(1.0);
        (share * f64::from(self.rounds)).ceil() as u32
    }

    /// Samples of a series.
    pub(crate) fn all(self) -> u32 {
        self.rounds * self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(estimator: &str, samples: u32, series_ms: u64) -> BenchInfo {
        BenchInfo { estimator: estimator.into(), samples, series_ms, ..BenchInfo::default() }
    }

    #[test]
    fn turns_shrink_to_the_time_that_the_slowest_layer_has() {
        let turns = Turns::of(&bench("best-18-of-30", 30, 0), 0, &Samples::new()).unwrap();
        let shape = |limit, ns| {
            let turns = turns.within(limit, ns);
            (turns.rounds, turns.samples)
        };
        assert_eq!(shape(500, 100_000), (15, 16));
        assert_eq!(shape(500, 0), (15, 16));
        assert_eq!(shape(500, 5_000_000), (15, 4));
        assert_eq!(shape(500, 20_000_000), (10, 1));
        assert_eq!(shape(500, 2_000_000_000), (3, 1));
        assert_eq!(shape(500, u64::MAX), (3, 1), "whatever a probe says");
    }

    #[test]
    fn slow_turns_end_within_the_time_of_their_row_but_never_before_the_third() {
        let rounds = |turn_s: u64, within_s: Option<u64>| {
            let turns = Turns { rounds: 15, samples: 16, batches: true };
            let seconds = Duration::from_secs;
            let last = |round: &u32| {
                let so_far = seconds(turn_s) * (round - 1);
                turns.is_last(*round, so_far, within_s.map(seconds))
            };
            (1..=15).find(last).unwrap()
        };
        assert_eq!(rounds(3, Some(20)), 6);
        assert_eq!(rounds(3, Some(1)), 3);
        assert_eq!(rounds(3, None), 15);
        assert_eq!(rounds(0, Some(1)), 15);
    }

    #[test]
    fn a_slow_layer_takes_no_more_time_than_the_baseline_but_one_round() {
        let turns = Turns { rounds: 9, samples: 1, batches: false };
        let rounds = |times: f64| turns.rounds_of((times * 1e9) as u64, 1_000_000_000);
        assert_eq!([0.5, 1.0, 1.05, 2.0, 3.0, 8.0, 900.0].map(rounds), [9, 9, 9, 5, 3, 2, 1]);
        assert_eq!((turns.rounds_of(0, 5), turns.rounds_of(5, 0)), (9, 9), "nobody knows");
    }

    #[test]
    fn what_takes_its_own_samples_takes_one_a_turn() {
        let of = |bench: BenchInfo| Turns::of(&bench, 0, &Samples::new());
        let turns = of(bench("mean", 10, 1000)).unwrap();
        assert_eq!((turns.rounds, turns.samples), (10, 1));
        assert_eq!(turns.within(1000, 50_000_000), turns);
        assert_eq!(of(bench("mean", 2, 6000)), None);
        assert_eq!(of(bench("mean-until-5%", 30, 0)), None);
    }
}
