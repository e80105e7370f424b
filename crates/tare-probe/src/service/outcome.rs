//! What became of the requests at one rate: quantiles, errors, and the client's own lateness.

use std::fmt;

/// The quantiles that are said, each as what it is called and its share.
pub const QUANTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// A bound on a quantile of the latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slo {
    /// The share of requests that are to be faster.
    pub quantile: f64,
    /// Than this, in nanoseconds.
    pub ns: u64,
}

impl Slo {
    /// Reads `QUANTILE:NANOSECONDS`.
    pub fn parse(text: &str) -> Option<Slo> {
        let (quantile, ns) = text.split_once(':')?;
        let quantile = quantile.parse().ok().filter(|q| (0.0..1.0).contains(q))?;
        Some(Slo { quantile, ns: ns.parse().ok().filter(|ns| *ns > 0)? })
    }
}

/// All requests at a rate.
#[derive(Debug, Default)]
pub struct Outcome {
    /// From when each was due to its answer, in nanoseconds; an error counts as long as the time limit. Sorted.
    pub latencies: Vec<u64>,
    /// Requests without a good answer.
    pub errors: u64,
    /// From the first request's due time to the last answer, in nanoseconds.
    pub lasted_ns: u64,
    /// How long after its due time the client itself looked at each request, in nanoseconds. Sorted.
    pub late: Vec<u64>,
    /// The first line of an answer that was not good.
    pub refused: Option<String>,
}

impl Outcome {
    /// The latency that a share of `q` does not exceed: the smallest value of which at least that share is no larger.
    pub fn quantile(&self, q: f64) -> u64 {
        of(&self.latencies, q)
    }

    /// What to say where no request had a good answer.
    pub fn without_answer(&self) -> Option<String> {
        let total = self.latencies.len();
        let refused = self.refused.as_ref().map(|line| format!("; one was: {line}"));
        let says =
            || format!("none of {total} requests had a good answer{}", refused.unwrap_or_default());
        (self.errors as usize == total).then(says)
    }

    /// Whether the bound holds, and hardly a request failed: fewer than the quantile leaves out.
    pub fn keeps(&self, slo: Slo) -> bool {
        let errors = self.errors as f64 / self.latencies.len().max(1) as f64;
        self.quantile(slo.quantile) < slo.ns && errors < 1.0 - slo.quantile
    }
}

fn of(sorted: &[u64], q: f64) -> u64 {
    let at = (q * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let good = self.latencies.len() as u64 - self.errors;
        writeln!(f, "answered: {:.1} /s", good as f64 * 1e9 / self.lasted_ns.max(1) as f64)?;
        for (name, q) in QUANTILES {
            writeln!(f, "{name}: {} ns", self.quantile(q))?;
        }
        writeln!(f, "max: {} ns", self.quantile(1.0))?;
        writeln!(f, "errors: {} of {}", self.errors, self.latencies.len())?;
        writeln!(f, "late: {} ns", of(&self.late, 0.99))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_seen_and_errors_break_a_bound() {
        let mut outcome = Outcome { latencies: (1..=1000).collect(), ..Outcome::default() };
        assert_eq!(QUANTILES.map(|(_, q)| outcome.quantile(q)), [500, 950, 990, 999]);
        let slo = Slo::parse("0.99:991").unwrap();
        assert!(outcome.keeps(slo) && !outcome.keeps(Slo { ns: 990, ..slo }));
        outcome.errors = 11;
        assert!(!outcome.keeps(slo));
        assert_eq!(Outcome::default().quantile(0.99), 0);
    }
}
