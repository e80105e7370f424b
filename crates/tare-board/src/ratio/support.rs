//! What the rows of a geometric mean say of it themselves. A mean whose blocks agree by chance, or that a few noisy rows made,
//! can look sure where its rows are open, so its own test is not enough to call it slower or faster.

use crate::board::Verdict;

/// The part of a mean's logarithm that its decided rows must carry.
const LEAST: f64 = 0.5;

/// What the rows of a mean say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Support {
    /// Sums of the rows' logarithms of cost: of all, and of those that are slower, faster or equivalent.
    all: f64,
    decided: f64,
    /// Whether some row is shown to be slower, or faster.
    slower: bool,
    faster: bool,
    /// Rows that are undecided.
    pub(crate) open: usize,
}

impl Support {
    /// Of rows, each by the logarithm of its cost, above 0 if it costs more, and what is said of it.
    pub(crate) fn of(rows: impl Iterator<Item = (f64, Verdict)>) -> Support {
        let mut support = Support::default();
        for (log_cost, said) in rows {
            support.all += log_cost;
            match said {
                Verdict::Undecided | Verdict::None => support.open += 1,
                _ => support.decided += log_cost,
            }
            support.slower |= said == Verdict::Worse;
            support.faster |= said == Verdict::Better;
        }
        support
    }

    /// The part of the mean's logarithm that decided rows carry, 0 to 1.
    pub(crate) fn carried(&self) -> f64 {
        let part = self.decided / self.all;
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// What may be said of a mean whose own test says `said`: slower or faster only if some row is shown to be so, and decided
    /// rows carry at least half of it.
    pub(crate) fn bound(&self, said: Verdict) -> Verdict {
        let shown = match said {
            Verdict::Worse => self.slower,
            Verdict::Better => self.faster,
            _ => return said,
        };
        if shown && self.carried() >= LEAST { said } else { Verdict::Undecided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(rows: &[(f64, Verdict)], said: Verdict) -> Verdict {
        Support::of(rows.iter().copied()).bound(said)
    }

    #[test]
    fn open_rows_carry_no_verdict() {
        let mut rows = vec![(-0.4, Verdict::Undecided); 15];
        rows.extend([(-0.001, Verdict::Equivalent); 12]);
        rows.push((-0.015, Verdict::Better));
        assert_eq!(bound(&rows, Verdict::Better), Verdict::Undecided);
        assert_eq!(bound(&rows, Verdict::Equivalent), Verdict::Equivalent);
    }

    #[test]
    fn some_row_must_show_what_the_mean_says() {
        let rows = [(0.018, Verdict::Equivalent), (0.018, Verdict::Equivalent)];
        assert_eq!(bound(&rows, Verdict::Worse), Verdict::Undecided);
        let rows = [(0.9, Verdict::Worse), (0.3, Verdict::Undecided), (0.0, Verdict::Equivalent)];
        assert_eq!(bound(&rows, Verdict::Worse), Verdict::Worse);
        let other = [(-0.1, Verdict::Better), (0.9, Verdict::Undecided)];
        assert_eq!(bound(&other, Verdict::Worse), Verdict::Undecided, "that row is faster");
    }
}
