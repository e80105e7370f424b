//! Small tools for line formats: numbers, places, tokens.

use crate::Fault;

pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line))
}

/// A finite number, also as lmbench writes it (`137.`, `2.5K`, `1.2M`).
pub(crate) fn number(text: &str) -> Option<f64> {
    decimal(text.as_bytes()).or_else(|| any_number(text))
}

/// Most digits that a double holds without rounding, and with them a decimal point in any place.
const EXACT: usize = 15;

/// `12440`, `0.0542`: digits with at most one point, few enough that one division is exact.
fn decimal(text: &[u8]) -> Option<f64> {
    let mut digits = 0_u64;
    let mut after_point = 0;
    let mut point = false;
    if text.is_empty() || text.len() > EXACT {
        return None;
    }
    for byte in text {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                after_point += usize::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    // A lone point is no number.
    (text.len() > usize::from(point)).then(|| digits as f64 / POWERS[after_point])
}

/// Powers of ten that doubles hold exactly.
const POWERS: [f64; EXACT + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

fn any_number(text: &str) -> Option<f64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let value: f64 = digits.parse().ok().filter(|_| plain)?;
    (value * factor).is_finite().then_some(value * factor)
}

/// The number that must stand at `token`, a part of `line`.
pub(crate) fn must(line: &str, at: usize, token: &str, what: &str) -> Result<f64, Fault> {
    number(token).ok_or_else(|| {
        let column = column(line, token);
        Fault::at(at, column, format!("'{}' should be {what}", short(token)))
    })
}

/// The column, from 1, at which `token` stands in `line` (of which it is a part).
pub(crate) fn column(line: &str, token: &str) -> usize {
    let offset = (token.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
    match offset.filter(|offset| *offset <= line.len()) {
        Some(offset) => line.get(..offset).map_or(1, |before| before.chars().count() + 1),
        None => 1,
    }
}

pub(crate) fn short(token: &str) -> String {
    token.chars().take(40).collect()
}

/// All the numbers at the end of `line`, in order, as long as they are numbers.
pub(crate) fn trailing(line: &str) -> Vec<f64> {
    let mut numbers: Vec<f64> = line.split_ascii_whitespace().rev().map_while(number).collect();
    numbers.reverse();
    numbers
}

/// `text` after `key` and spaces, when the trimmed line begins with it.
pub(crate) fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.trim().strip_prefix(key).map(str::trim)
}

/// Tokens of a line that are looked at; formats have no rows with more that matter.
const TOKENS: usize = 16;

/// A line's first tokens, without an allocation.
pub(crate) struct Tokens<'a> {
    all: [&'a str; TOKENS],
    count: usize,
}

pub(crate) fn tokens(line: &str) -> Tokens<'_> {
    let mut tokens = Tokens { all: [""; TOKENS], count: 0 };
    for (place, token) in tokens.all.iter_mut().zip(line.split_ascii_whitespace()) {
        *place = token;
        tokens.count += 1;
    }
    tokens
}

impl<'a> std::ops::Deref for Tokens<'a> {
    type Target = [&'a str];

    fn deref(&self) -> &[&'a str] {
        &self.all[..self.count]
    }
}

pub(crate) fn first(text: &str) -> &str {
    text.split_ascii_whitespace().next().unwrap_or("")
}

/// `1h2m3.5s`, `0m0.055s`, `4m15.934s`, `1:02:03.5`, `0:00.05`, `12.5`: seconds.
pub(crate) fn clock(text: &str) -> Option<f64> {
    if let Some(seconds) = decimal(text.as_bytes()) {
        return Some(seconds);
    }
    if text.contains(':') {
        let parts: Vec<f64> = text.split(':').map(number).collect::<Option<_>>()?;
        return (parts.len() <= 3).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part));
    }
    let mut rest = text;
    let mut seconds = 0.0;
    for (mark, length) in [('h', 3600.0), ('m', 60.0)] {
        if let Some((value, after)) = rest.split_once(mark) {
            seconds += number(value)? * length;
            rest = after;
        }
    }
    Some(seconds + number(rest.strip_suffix('s').unwrap_or(rest))?).filter(|s| *s >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_gives_the_same_bits() {
        let texts =
            ["0", "7", "0.1", "137.", ".5", "1471144.3", "4956.94", "000.250", "999999999999999"];
        for text in texts {
            assert_eq!(decimal(text.as_bytes()), text.parse().ok(), "{text}");
        }
        let mut seed = 1_u64;
        for _ in 0..100_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let digits = (seed >> 20) % 10_000_000_000_000;
            let places = (seed % 9) as usize;
            let text = format!("{}.{:0places$}", digits / 1000, digits % 10_u64.pow(places as u32));
            assert_eq!(number(&text), text.parse().ok(), "{text}");
        }
        for text in ["", ".", "1.2.3", "1e", "-", "0x10", "inf", "NaN", "1_000"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(
            (number("2.5K"), number("1.2M"), number("-3")),
            (Some(2500.0), Some(1.2e6), Some(-3.0))
        );
    }

    #[test]
    fn times_in_every_form() {
        for (text, seconds) in [
            ("0m0.055s", 0.055),
            ("4m15.934s", 255.934),
            ("1:02:03.5", 3723.5),
            ("12.5", 12.5),
            ("1h0m1s", 3601.0),
        ] {
            assert_eq!(clock(text), Some(seconds), "{text}");
        }
    }
}
