//! Scales: from values to places on a plot, linear or logarithmic, with ticks at round numbers.

/// Whether equal distances are equal differences or equal ratios.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Linear,
    Log,
}

/// A map from a domain of values to a range of places. A value outside lands on the nearer end, so that nothing is
/// drawn outside a plot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub(crate) kind: Kind,
    pub(crate) low: f64,
    pub(crate) high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Equal differences are equal distances. A domain that is none becomes 0 to 1.
    pub(crate) fn linear(low: f64, high: f64, (from, to): (f64, f64)) -> Scale {
        let sound = low.is_finite() && high.is_finite() && (high - low).is_finite() && low < high;
        let (low, high) = if sound { (low, high) } else { widened(low) };
        Scale { kind: Kind::Linear, low, high, from, to }
    }

    /// Equal ratios are equal distances. A domain that is none becomes 1 to 10.
    pub(crate) fn log(low: f64, high: f64, (from, to): (f64, f64)) -> Scale {
        let sound = low.is_normal() && low > 0.0 && high.is_finite() && low < high;
        let (low, high) = match sound {
            true => (low, high),
            false if low.is_normal() && low > 0.0 && low < 1e300 => (low / 1.1, low * 1.1),
            false => (1.0, 10.0),
        };
        Scale { kind: Kind::Log, low, high, from, to }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => {
                (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
            }
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.from + share * (self.to - self.from)
    }

    /// The value at a share (0 to 1) of the domain.
    pub(crate) fn value(&self, share: f64) -> f64 {
        match self.kind {
            Kind::Linear => self.low + share * (self.high - self.low),
            Kind::Log => self.low * (share * (self.high / self.low).ln()).exp(),
        }
    }

    pub(crate) fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// Round values inside the domain, about `most` of them and never more than twice that.
    pub(crate) fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        // Within a factor of 4, round differences are easier to read than 1, 2, 5.
        if self.kind == Kind::Linear || self.high / self.low < 4.0 {
            return self.round_steps(most);
        }
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let decades = (self.high / self.low).log10();
        let digits: &[f64] = match most as f64 / decades {
            room if room >= 3.0 => &[1.0, 2.0, 5.0],
            room if room >= 2.0 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let every = ((decades / most as f64).ceil() as usize).max(1);
        let powers = (first..=last).filter(|power| power.rem_euclid(every as i32) == 0);
        let all = powers.flat_map(|power| digits.iter().map(move |d| d * 10_f64.powi(power)));
        all.filter(|tick| self.holds(*tick)).collect()
    }

    fn round_steps(&self, most: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / most as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        let step = steps.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(rough);
        if !(step.is_normal() && self.high / step < 1e15) {
            return vec![self.low, self.high];
        }
        let first = (self.low / step - 1e-9).ceil();
        let count = ((self.high / step + 1e-9).floor() - first).clamp(0.0, 2.0 * most as f64);
        (0..=count as usize).map(|n| (first + n as f64) * step).collect()
    }
}

fn widened(value: f64) -> (f64, f64) {
    match value.abs() {
        v if v > 0.0 && v < 1e300 => (value - 0.1 * v, value + 0.1 * v),
        _ => (0.0, 1.0),
    }
}

/// A tick in as few digits as say it.
pub(crate) fn plain(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        v if !(1e-4..1e6).contains(&v) => format!("{value:.0e}"),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_differences_or_ratios() {
        let linear = Scale::linear(0.0, 10.0, (0.0, 100.0));
        assert_eq!(
            [0.0, 2.5, 10.0, 11.0, -1.0].map(|v| linear.at(v)),
            [0.0, 25.0, 100.0, 100.0, 0.0]
        );
        let log = Scale::log(1.0, 100.0, (10.0, 30.0));
        assert_eq!([1.0, 10.0, 100.0].map(|v| log.at(v).round()), [10.0, 20.0, 30.0]);
        assert!((log.value(0.5) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let ticks =
            |scale: Scale, most| scale.ticks(most).into_iter().map(plain).collect::<Vec<_>>();
        assert_eq!(ticks(Scale::linear(0.0, 10.0, (0.0, 1.0)), 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            ticks(Scale::log(0.97, 1.06, (0.0, 1.0)), 5),
            ["0.98", "1", "1.02", "1.04", "1.06"]
        );
        assert_eq!(
            ticks(Scale::log(0.5, 60.0, (0.0, 1.0)), 6),
            ["1", "3", "10", "30"].map(String::from)
        );
        assert_eq!(ticks(Scale::log(1.0, 1e6, (0.0, 1.0)), 3), ["1", "100", "10000", "1e6"]);
    }

    #[test]
    fn no_domain_breaks_a_scale() {
        let bad = [f64::NAN, f64::INFINITY, -f64::INFINITY, 0.0, -1.0, 1e-320, f64::MAX, 1.0];
        for low in bad {
            for high in bad {
                for scale in
                    [Scale::linear(low, high, (0.0, 9.0)), Scale::log(low, high, (0.0, 9.0))]
                {
                    assert!(scale.ticks(5).len() <= 11, "{scale:?}");
                    assert!(bad.iter().all(|v| (0.0..=9.0).contains(&scale.at(*v))), "{scale:?}");
                }
            }
        }
    }
}
