//! A balloon: memory that is taken from a guest and given back to it, again and again, while the guest is measured.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The variable of a guest that has one: a [`Balloon`], for a guest that moves it itself, or [`MOVED_BY_HOST`], or [`MOVED_UNSEEN`].
pub const BALLOON: &str = "TARE_BALLOON";

/// What [`BALLOON`] says where the host moves it, and the guest's kernel counts.
pub const MOVED_BY_HOST: &str = "host";

/// What it says where the host moves it, and the guest's kernel does not count.
pub const MOVED_UNSEEN: &str = "unseen";

/// What a series counts that is measured beside a balloon: pages of 4 KiB that went out or came in, for each 10⁹ ticks of the
/// guest's clock (a second, or 10⁹ instructions).
pub const BALLOON_COUNTER: &str = "balloon_pages";

/// How much memory goes out and comes back, and when: every period one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balloon {
    /// How much. With none the balloon does everything but move: the control.
    pub kib: u64,
    /// How long it is out, and how long it is in.
    pub period: Duration,
}

const SIZES: [(&str, u64); 3] = [("K", 1), ("M", 1 << 10), ("G", 1 << 20)];
const TIMES: [(&str, u64); 3] = [("us", 1), ("ms", 1_000), ("s", 1_000_000)];

/// The shortest and the longest period, in microseconds.
const PERIODS: std::ops::RangeInclusive<u64> = 100..=3_600_000_000;

/// A number and one of `units`, the longest that fits; a bare zero needs none.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    let (number, unit) = units.iter().find_map(|(end, of)| Some((text.strip_suffix(end)?, of)))?;
    number.parse::<u64>().ok()?.checked_mul(*unit)
}

impl FromStr for Balloon {
    type Err = String;

    fn from_str(text: &str) -> Result<Balloon, String> {
        let read = || {
            let (size, period) = text.split_once('/')?;
            Some((scaled(size, &SIZES)?, scaled(period, &TIMES)?))
        };
        let (kib, period) = read().ok_or_else(|| {
            format!("{text} is no balloon: write SIZE/PERIOD as in 128M/250ms, or 0/250ms")
        })?;
        if !PERIODS.contains(&period) {
            return Err(format!("{text}: the period of a balloon is from 100us to 3600s"));
        }
        Ok(Balloon { kib, period: Duration::from_micros(period) })
    }
}

impl fmt::Display for Balloon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}K/{}us", self.kib, self.period.as_micros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balloon_survives_the_round_trip() {
        let read = |text: &str| text.parse::<Balloon>();
        let balloon = Balloon { kib: 128 << 10, period: Duration::from_millis(250) };
        assert_eq!(read("128M/250ms"), Ok(balloon));
        assert_eq!(read(&balloon.to_string()), Ok(balloon));
        assert_eq!(read("0/1s"), Ok(Balloon { kib: 0, period: Duration::from_secs(1) }));
        let refused = ["", "128M", "128/250ms", "M/250ms", "128M/250", "-1M/1s", "1G/0", "1M/99us"];
        for text in refused {
            assert!(read(text).unwrap_err().contains("balloon"), "{text}");
        }
        let far = format!("{}G/1s", u64::MAX);
        assert!(read(&far).is_err(), "more than a number holds");
    }
}
