//! lmbench 3's raw result file: every named figure, context switches, mappings, bandwidths and memory latencies.

use crate::lines::{must, number, numbered};
use crate::{Fault, Format, Quantity, Sink};

/// The table's row.
pub const FORMAT: Format = Format {
    name: "lmbench",
    about: "lmbench 3's raw result file (results/OS/host.N)",
    sniff: |head| {
        head.contains("[lmbench3")
            || head.contains("[lmbench2")
            || (head.contains("Simple syscall:") && head.contains("microseconds"))
    },
    parse,
};

/// Figures that tare's own benchmarks measure too, under tare's names.
const OWN: &[(&str, &str)] = &[
    ("Simple syscall", "null_call"),
    ("Simple stat", "stat"),
    ("Simple open/close", "open_close"),
    ("Signal handler installation", "sig_install"),
    ("Signal handler overhead", "sig_catch"),
    ("Process fork+exit", "fork_exit"),
    ("Process fork+execve", "fork_exec"),
    ("Process fork+/bin/sh -c", "fork_shell"),
    ("Protection fault", "prot_fault"),
];

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut section = None;
    for (at, line) in numbered(text) {
        let line = line.trim_end();
        if let Some(title) = line.strip_prefix('"') {
            section = heading(title);
        } else if line.trim().is_empty() {
            section = None;
        } else if let Some((name, value, unit)) = named(line, at)? {
            let own = OWN.iter().find(|(printed, _)| *printed == name).map(|(_, own)| *own);
            sink.add_unless_zero("lmbench", own.unwrap_or(name), unit, value);
        } else if let (Some((name, unit)), Some((x, y))) = (&section, pair(line)) {
            sink.add_unless_zero("lmbench", &name.replace('#', x), *unit, y);
        } else {
            sink.unknown += 1;
        }
    }
    Ok(())
}

/// `Simple syscall: 0.0542 microseconds`.
fn named(line: &str, at: usize) -> Result<Option<(&str, f64, Quantity)>, Fault> {
    let Some((name, rest)) = line.rsplit_once(": ") else { return Ok(None) };
    let mut tokens = rest.split_whitespace();
    let (Some(value), Some(unit), None) = (tokens.next(), tokens.next(), tokens.next()) else {
        return Ok(None);
    };
    let unit = match unit {
        "microseconds" => Quantity::MICROS,
        "nanoseconds" => Quantity::NANOS,
        "milliseconds" => Quantity::MILLIS,
        "MB/sec" => Quantity::MB_S,
        "KB/sec" => Quantity::KIB_S,
        _ => return Ok(None),
    };
    Ok(Some((name, must(line, at, value, "a number")?, unit)))
}

/// The name and unit of the rows below a quoted title; `#` stands for a row's first number.
fn heading(title: &str) -> Option<(String, Quantity)> {
    if let Some(rest) = title.strip_prefix("size=") {
        let size = rest.split_whitespace().next().unwrap_or("");
        return Some((format!("ctx_#p_{}", size.to_uppercase()), Quantity::MICROS));
    }
    let plain = title.trim_matches('"');
    match plain.split_whitespace().next().unwrap_or("") {
        "mappings" => Some(("mmap_#_MB".into(), Quantity::MICROS)),
        stride if stride.starts_with("stride=") => {
            Some((format!("mem_latency_{stride}_#_MB"), Quantity::NANOS))
        }
        _ if plain.contains("bandwidth")
            || plain.contains("bcopy")
            || plain.starts_with("Memory") =>
        {
            Some((format!("{plain}_#_MB"), Quantity::MB_S))
        }
        _ => None,
    }
}

/// A row of exactly two numbers.
fn pair(line: &str) -> Option<(&str, f64)> {
    let mut tokens = line.split_whitespace();
    let (x, y) = (tokens.next()?, tokens.next()?);
    (tokens.next().is_none() && number(x).is_some()).then_some((x, number(y)?))
}
