//! Small tools for line formats: numbers, places, tokens.

use crate::Fault;

/// Lines with their numbers from 1.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line))
}

/// A finite number, also as lmbench writes it (`137.`, `2.5K`, `1.2M`).
pub(crate) fn number(text: &str) -> Option<f64> {
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

/// A token of bearable length.
pub(crate) fn short(token: &str) -> String {
    token.chars().take(40).collect()
}

/// All the numbers at the end of `line`, in order, as long as they are numbers.
pub(crate) fn trailing(line: &str) -> Vec<f64> {
    let mut numbers: Vec<f64> = line.split_whitespace().rev().map_while(number).collect();
    numbers.reverse();
    numbers
}

/// `text` after `key` and spaces, when the trimmed line begins with it.
pub(crate) fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.trim().strip_prefix(key).map(str::trim)
}

/// The first token of `text`.
pub(crate) fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// `1h2m3.5s`, `0m0.055s`, `4m15.934s`, `1:02:03.5`, `0:00.05`, `12.5`: seconds.
pub(crate) fn clock(text: &str) -> Option<f64> {
    if text.contains(':') {
        let parts: Vec<f64> = text.split(':').map(number).collect::<Option<_>>()?;
        return (parts.len() <= 3).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part));
    }
    let (mut rest, mut seconds) = (text, 0.0);
    for (mark, length) in [('h', 3600.0), ('m', 60.0)] {
        if let Some((value, after)) = rest.split_once(mark) {
            seconds += number(value)? * length;
            rest = after;
        }
    }
    Some(seconds + number(rest.strip_suffix('s').unwrap_or(rest))?).filter(|s| *s >= 0.0)
}
