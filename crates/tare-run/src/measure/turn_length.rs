//! How many samples a watched turn has, and how often it is taken.

/// Nanoseconds that the longer turn takes: for counts as many operations as make a stray one small, for times several times, as many looks
/// of the clock as tell user mode from the kernel.
const COUNTED_NS: f64 = 30e6;
const TIMED_NS: f64 = 25e6;
const TRIES: u32 = 3;

/// Most samples of a turn.
const MOST: f64 = 64.0;

/// The same of a turn that lasts.
const MOST_LASTING: f64 = 256.0;

/// Nanoseconds that the tries of a long sample may take, of which there is one at least.
const TRIED_NS: u64 = 600_000_000;

/// A sample that takes longer than this is watched once: what surrounds it is small beside it.
const LONG_NS: u64 = 60_000_000;

/// The share of a ring that a turn should fill.
const FILL: f64 = 0.6;

/// For how long a layer is watched, to meet all that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasts {
    /// As short as suits the benchmark.
    Shortly,
    /// So long that what it pays for the pause before a turn is small beside it.
    BeyondPauses,
    /// As long as the series that the row's value is from, since the layer works in several ways.
    AllModes,
    /// Ten of the usual periods of 0.1 s, since a quota of CPU time stops the layer.
    Quota,
}

impl Lasts {
    /// Nanoseconds of a turn that lasts.
    const fn ns(self) -> Option<f64> {
        match self {
            Lasts::Shortly => None,
            Lasts::BeyondPauses => Some(60e6),
            Lasts::AllModes => Some(300e6),
            Lasts::Quota => Some(1e9),
        }
    }
}

/// What the length of a row's turns depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnLength {
    /// What a sample takes; 0 where nobody knows.
    pub sample_ns: u64,
    /// Whether each sample is prepared in a turn before its own.
    pub is_prepared: bool,
    /// Whether a sample is a run of a program.
    pub is_program: bool,
    /// How long the layer is watched.
    pub lasts: Lasts,
}

impl TurnLength {
    /// Whether one sample is enough, and too long for more; or two of them would have something else between.
    pub(super) fn is_long(self) -> bool {
        self.sample_ns == 0 || self.sample_ns > LONG_NS || self.is_prepared
    }

    /// Whether a turn whose time is told is watched without a short one beside it: what surrounds it is small beside it.
    pub(super) fn is_alone(self) -> bool {
        self.is_long() || self.lasts.ns().is_some()
    }

    /// The same of a turn whose events are counted. A quota changes no counts, and in a second there may be more than rings can be emptied of.
    pub(super) fn is_counted_alone(self) -> bool {
        self.is_long() || matches!(self.lasts, Lasts::BeyondPauses | Lasts::AllModes)
    }

    /// Whether a turn may make more records than rings hold. A program's run may make any number.
    pub(super) fn may_fill_rings(self) -> bool {
        self.is_alone() || self.is_program
    }

    /// Samples that a turn of so many `samples` has more than the short one, or has where it is `alone`. The first sample of a benchmark's turn
    /// is thrown away: the short turn has it, too, but where there is none it is one more. A program's run is not.
    pub(super) fn more(self, alone: bool, samples: f64) -> f64 {
        match (alone, self.is_program) {
            (false, _) => samples - 1.0,
            (true, true) => samples,
            (true, false) => samples + 1.0,
        }
    }

    /// Samples of a turn whose events are counted, where a turn of one sample `filled` so much of a ring.
    pub(super) fn counted(self, filled: f64) -> f64 {
        if self.is_counted_alone() {
            return self.timed();
        }
        // A turn of one sample takes two: the first is thrown away.
        let fit = 2.0 * FILL / filled.max(1e-6) - 1.0;
        self.within(COUNTED_NS).min(fit).max(2.0).floor()
    }

    /// Samples of a turn whose time is told.
    pub(super) fn timed(self) -> f64 {
        match (self.is_long(), self.lasts.ns()) {
            (true, _) => 1.0,
            (_, Some(ns)) => (ns / self.sample_ns as f64).clamp(2.0, MOST_LASTING).floor(),
            (_, None) => self.within(TIMED_NS),
        }
    }

    /// Samples that take `ns` together, of which there are more than one.
    fn within(self, ns: f64) -> f64 {
        (ns / self.sample_ns.max(1) as f64).clamp(2.0, MOST).floor()
    }

    /// How often its time is told. A turn of several modes or periods is taken once.
    pub(super) fn tries(self) -> u32 {
        match (self.is_long(), self.lasts) {
            (true, _) => tries(self.sample_ns),
            (_, Lasts::AllModes | Lasts::Quota) => 1,
            (_, Lasts::Shortly | Lasts::BeyondPauses) => TRIES,
        }
    }
}

/// How often something long is tried that takes `ns` each time.
pub(super) fn tries(ns: u64) -> u32 {
    TRIED_NS.checked_div(ns).unwrap_or(0).clamp(1, TRIES.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_as_long_as_the_layer_needs_and_what_surrounds_a_short_one_is_in_another() {
        let of = |sample_ns, lasts, is_program| TurnLength {
            sample_ns,
            is_prepared: false,
            is_program,
            lasts,
        };
        let told = |length: TurnLength| {
            let samples = length.timed();
            (samples, length.more(length.is_alone(), samples), length.tries(), length.is_alone())
        };
        assert_eq!(told(of(5_000_000, Lasts::Shortly, false)), (5.0, 4.0, 3, false));
        assert_eq!(told(of(5_000_000, Lasts::BeyondPauses, false)), (12.0, 13.0, 3, true));
        assert_eq!(told(of(5_000_000, Lasts::AllModes, false)), (60.0, 61.0, 1, true));
        assert_eq!(told(of(5_000_000, Lasts::Quota, false)), (200.0, 201.0, 1, true));
        assert_eq!(told(of(5_000_000, Lasts::AllModes, true)), (60.0, 60.0, 1, true));
        assert_eq!(told(of(400_000_000, Lasts::AllModes, false)), (1.0, 2.0, 1, true));
        assert_eq!(told(of(400_000_000, Lasts::Shortly, true)), (1.0, 1.0, 1, true));
        assert_eq!(told(of(0, Lasts::Quota, false)), (1.0, 2.0, 1, true));
        let shortly = of(1_000_000, Lasts::Shortly, false);
        assert_eq!([0.0, 0.25, 0.9].map(|filled| shortly.counted(filled)), [30.0, 3.0, 2.0]);
        assert_eq!(of(1_000_000, Lasts::BeyondPauses, false).counted(0.25), 60.0);
        assert_eq!(of(1_000_000, Lasts::AllModes, false).counted(0.9), 256.0);
        assert_eq!(of(1_000_000, Lasts::Quota, false).counted(0.25), 3.0);
    }
}
