//! Numbers for people: as many digits as the interval justifies, in units of a suitable size.

use crate::figures::{Pair, Ratio};
use tare_proto::Unit;

/// A ratio for a narrow column: about three digits.
pub fn short_ratio(value: f64) -> String {
    match value {
        v if v.is_nan() || v <= 0.0 => "–".into(),
        v if !(0.000_95..99_999.5).contains(&v) => format!("{v:.0e}"),
        v if v < 0.0995 => format!("{v:.3}"),
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// `1.04 (1.03–1.05)`, or the ratio alone.
pub fn ratio_with_interval(ratio: &Ratio) -> String {
    match ratio_and_interval(ratio) {
        (ratio, Some(interval)) => format!("{ratio} ({interval})"),
        (ratio, None) => ratio,
    }
}

/// A ratio and its interval with the digits that the interval earns: one of half its width, two when that begins
/// with 1 or 2, at most three decimals and five digits.
pub fn ratio_and_interval(ratio: &Ratio) -> (String, Option<String>) {
    let Some((low, high)) = ratio.low.zip(ratio.high) else {
        return (short_ratio(ratio.value), None);
    };
    let half = (high - low) / 2.0;
    let earned = if half > 0.0 { (3.0 / half).log10().ceil() } else { 3.0 };
    let before_point = ratio.value.max(1.0).log10().floor() + 1.0;
    let least = if ratio.value < 99.5 { 1.0 } else { 0.0 };
    let decimals = earned.clamp(least, 3.0).min(5.0 - before_point).max(0.0) as usize;
    let print = |v: f64| {
        let plain = format!("{v:.decimals$}");
        if plain.len() > 6 || v >= 999.5 || (plain.trim_matches(['0', '.']).is_empty() && v > 0.0) {
            short_ratio(v)
        } else {
            plain
        }
    };
    (print(ratio.value), Some(format!("{}–{}", print(low), print(high))))
}

/// A unit's sizes: how many of the unit, and the name.
const fn scales(unit: Unit) -> &'static [(f64, &'static str)] {
    match unit {
        Unit::Nanoseconds => &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")],
        Unit::Instructions => {
            &[(1.0, "instr"), (1e3, "k instr"), (1e6, "M instr"), (1e9, "G instr")]
        }
        Unit::PerGigaInstruction => {
            &[(1.0, "/Ginstr"), (1e3, "k/Ginstr"), (1e6, "M/Ginstr"), (1e9, "G/Ginstr")]
        }
        Unit::Per60GigaInstructions => {
            &[(1.0, "/60Ginstr"), (1e3, "k/60Ginstr"), (1e6, "M/60Ginstr"), (1e9, "G/60Ginstr")]
        }
        Unit::BytesPerGigaInstruction => {
            &[(1.0, "B/Ginstr"), (1e3, "kB/Ginstr"), (1e6, "MB/Ginstr"), (1e9, "GB/Ginstr")]
        }
        Unit::Bytes | Unit::BytesMoved => {
            &[(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")]
        }
        Unit::PerSecond => &[(1.0, "/s"), (1e3, "k/s"), (1e6, "M/s"), (1e9, "G/s")],
        Unit::PerMinute => &[(1.0, "/min"), (1e3, "k/min"), (1e6, "M/min"), (1e9, "G/min")],
        Unit::BytesPerSecond => &[(1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s")],
        Unit::Number => &[(1.0, "")],
        Unit::Wakeups => &[(1.0, "wakeups"), (1e3, "k wakeups"), (1e6, "M wakeups")],
    }
}

/// The largest size of which `value` makes at least one.
fn scale(unit: Unit, value: f64) -> (f64, &'static str) {
    let fits = scales(unit).iter().rev().find(|(size, _)| value >= 0.9995 * size);
    *fits.unwrap_or(&scales(unit)[0])
}

/// A unit's sizes as the page's script reads them: `1 ns;1000 µs;...`.
pub fn sizes(unit: Unit) -> String {
    let each: Vec<String> =
        scales(unit).iter().map(|(size, name)| format!("{size} {name}")).collect();
    each.join(";")
}

/// A tick of an axis, to as many decimals as tell it from one that lies `step` away: `1.25 µs`.
pub fn tick(unit: Unit, value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let (size, name) = scale(unit, value.abs());
    let decimals = (-(step / size).log10() - 1e-6).ceil().clamp(0.0, 12.0) as usize;
    let plain = format!("{:.decimals$}", value / size);
    let short = if plain.contains('.') {
        plain.trim_end_matches('0').trim_end_matches('.')
    } else {
        &plain
    };
    let number = if short.len() > 8 { format!("{:.0e}", value / size) } else { short.to_owned() };
    format!("{number} {name}").trim_end().to_owned()
}

/// Three digits, and never fewer than stand before the point.
pub fn digits(value: f64) -> String {
    match value.abs() {
        v if v.is_nan() => "–".into(),
        v if v >= 1e7 => format!("{value:.1e}"),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.995 || v == 0.0 => format!("{value:.2}"),
        v if v >= 0.000_95 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A value with its unit: `137 ns`, `1.20 s`.
pub fn quantity(unit: Unit, value: f64) -> String {
    let (size, name) = scale(unit, value);
    format!("{} {name}", digits(value / size)).trim_end().to_owned()
}

/// A value with its unit and the ends of its interval in the same: `148 ms (144–151)`. An end that nobody knows is a question mark.
pub fn quantity_and_ends(unit: Unit, value: f64, ends: (Option<f64>, Option<f64>)) -> String {
    let (size, name) = scale(unit, value);
    let end = |end: Option<f64>| end.map_or("?".to_owned(), |end| digits(end / size));
    let whole = format!("{} {name}", digits(value / size));
    format!("{} ({}–{})", whole.trim_end(), end(ends.0), end(ends.1))
}

/// Report 000's raw pair, both in the unit that fits the smaller: `[137/134 ns]`.
pub fn pair(unit: Unit, pair: &Pair) -> String {
    let (size, name) = scale(unit, pair.layer.min(pair.baseline));
    let raw = format!("[{}/{} {name}", digits(pair.layer / size), digits(pair.baseline / size));
    format!("{}]", raw.trim_end())
}

/// How far a bound of 1 or more is from 1, in percent: `3.1%`.
pub fn percent_above_one(bound: f64) -> String {
    percent(100.0 * (bound - 1.0))
}

/// A percentage with two digits where they matter.
pub fn percent(value: f64) -> String {
    match value {
        v if v.is_nan() => "–".into(),
        v if v >= 9999.5 => ">9999%".into(),
        v if v >= 9.95 => format!("{v:.0}%"),
        v if v >= 0.995 || v == 0.0 => format!("{v:.1}%"),
        v => format!("{v:.2}%"),
    }
}

/// `95%` for 0.95, `2.5%` for 0.025.
pub fn percent_of(fraction: f64) -> String {
    let rounded = (fraction * 1e6).round() / 1e4;
    format!("{rounded}%")
}

/// `1 block`, `2 blocks`.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("{n} {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_about_three_digits() {
        let values = [1e-300, 0.034, 0.52, 0.999, 1.0, 9.996, 12.34, 99.96, 4711.0, 1e5, f64::MAX];
        let texts = values.map(short_ratio);
        assert_eq!(
            texts,
            [
                "1e-300", "0.034", "0.52", "1.00", "1.00", "10.0", "12.3", "100", "4711", "1e5",
                "2e308"
            ]
        );
    }

    #[test]
    fn an_interval_earns_its_digits() {
        let print = |value, low, high| {
            let ratio = Ratio { value, low: Some(low), high: Some(high), blocks: 4 };
            let (value, interval) = ratio_and_interval(&ratio);
            format!("{value} {}", interval.unwrap_or_default())
        };
        assert_eq!(print(1.0042, 0.9981, 1.0103), "1.004 0.998–1.010");
        assert_eq!(print(5.41, 4.73, 6.19), "5.4 4.7–6.2");
        assert_eq!(print(308.8, 299.3, 318.7), "309 299–319");
        assert_eq!(print(2.0, 2.0, 2.0), "2.000 2.000–2.000");
        assert_eq!(print(1.0, 1e-9, 1e9), "1.0 1e-9–1e9");
    }

    #[test]
    fn values_take_a_fitting_unit() {
        let time = |value| quantity(Unit::Nanoseconds, value);
        assert_eq!(
            [0.42, 137.0, 999.7, 3.204e6, 1.2e9].map(time),
            ["0.420 ns", "137 ns", "1.00 µs", "3.20 ms", "1.20 s"]
        );
        assert_eq!(quantity(Unit::Bytes, 1_468_006.0), "1.40 MiB");
        let ends = (Some(9.9e5), None);
        assert_eq!(quantity_and_ends(Unit::Nanoseconds, 1.2e6, ends), "1.20 ms (0.990–?)");
        assert_eq!(quantity(Unit::PerSecond, 51_200.0), "51.2 k/s");
        let raw = Pair { layer: 137_000.0, baseline: 134_000.0 };
        assert_eq!(pair(Unit::Nanoseconds, &raw), "[137/134 µs]");
    }
}
