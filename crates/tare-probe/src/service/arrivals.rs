//! When requests are due: evenly, or as a Poisson process.

/// The times between requests. The same load always has the same, so that all layers are asked alike.
pub struct Arrivals {
    mean_ns: f64,
    even: bool,
    state: u64,
}

impl Arrivals {
    /// Arrivals that are so many nanoseconds apart, always or on average.
    pub fn new(mean_ns: f64, even: bool) -> Arrivals {
        Arrivals { mean_ns, even, state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// The time until the next one, in nanoseconds.
    pub fn next(&mut self) -> f64 {
        if self.even {
            return self.mean_ns;
        }
        // xorshift64* (Vigna, 2016); its upper 53 bits are uniform, and the negative logarithm of that is exponential.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let uniform = (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / 2f64.powi(53);
        -self.mean_ns * (1.0 - uniform).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_repeat_and_have_their_mean() {
        let times = |even| {
            let mut arrivals = Arrivals::new(1000.0, even);
            (0..10_000).map(|_| arrivals.next()).collect::<Vec<f64>>()
        };
        assert_eq!(times(false), times(false));
        let sum: f64 = times(false).iter().sum();
        assert!((0.95e7..1.05e7).contains(&sum), "{sum}");
        assert!(times(true).iter().all(|time| *time == 1000.0));
    }
}
