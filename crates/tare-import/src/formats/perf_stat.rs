//! `perf stat -x,` and `-j`: the count of every event.

use crate::lines::{number, numbered};
use crate::{Fault, Format, Quantity, Sink};
use serde::Deserialize;
use std::borrow::Cow;

pub const FORMAT: Format = Format {
    name: "perf-stat",
    about: "perf stat -x, (or another separator) and -j: every event's count",
    sniff,
    parse,
};

/// The separators that are tried.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

fn sniff(head: &str) -> bool {
    if head.contains("\"counter-value\"") {
        return true;
    }
    let mut rows = head.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    rows.next().is_some_and(|line| {
        let many = SEPARATORS.iter().any(|separator| line.matches(*separator).count() >= 4);
        many && fields(line).is_some_and(|f| counted(f[0]).is_some())
    })
}

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    for (at, line) in numbered(text) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.trim_start().starts_with('{') {
            let row: Row =
                serde_json::from_str(line).map_err(|e| Fault::at(at, e.column(), e.to_string()))?;
            event(&row.event, &row.unit, &row.value, at, sink)?;
        } else if let Some(row) = fields(line) {
            event(row[2], row[1], row[0], at, sink)?;
        } else {
            sink.unknown += 1;
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    event: Cow<'a, str>,
    #[serde(borrow, default)]
    unit: Cow<'a, str>,
    #[serde(borrow, default, rename = "counter-value")]
    value: Cow<'a, str>,
}

/// The fields of a row: value, unit, event; the rest does not matter.
fn fields(line: &str) -> Option<[&str; 3]> {
    let split = |separator: char| {
        let mut parts = line.split(separator);
        Some([parts.next()?, parts.next()?, parts.next()?])
    };
    SEPARATORS.into_iter().filter_map(split).find(|row| !row[2].is_empty())
}

/// A count, or `<not supported>` and the like as nothing.
fn counted(text: &str) -> Option<Option<f64>> {
    if text.starts_with('<') { Some(None) } else { number(text.trim()).map(Some) }
}

fn event(name: &str, unit: &str, value: &str, at: usize, sink: &mut Sink) -> Result<(), Fault> {
    if name.is_empty() {
        sink.unknown += 1;
        return Ok(());
    }
    let Some(count) = counted(value) else {
        let why = format!("'{}' should be a count", crate::lines::short(value));
        return Err(Fault::at(at, 1, why));
    };
    let Some(count) = count else {
        sink.note(format!("{} was not counted", crate::lines::short(name)));
        return Ok(());
    };
    let quantity = match unit {
        "msec" => Quantity::MILLIS,
        "ns" => Quantity::NANOS,
        _ => Quantity::COUNT,
    };
    sink.add_unless_zero("perf-stat", name, quantity, count);
    Ok(())
}
