//! time(1) in its three forms: the shell's, POSIX's (`-p`) and GNU's (plain and `-v`).

use crate::lines::{clock, column, must, numbered};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "time",
    about: "time(1): bash's, POSIX's (-p), GNU's plain and -v form",
    sniff: |head| head.lines().any(|line| figure(line).is_some() || gnu(line).is_some()),
    parse: |text, sink| read(text, &("time", "time-parts"), sink, |_| false),
};

/// The names that are printed before a time, and the figure's.
const LABELS: &[(&str, &str)] = &[
    ("real", "real"),
    ("user", "user"),
    ("sys", "sys"),
    ("User time (seconds):", "user"),
    ("System time (seconds):", "sys"),
    ("Elapsed (wall clock) time (h:mm:ss or m:ss):", "real"),
    ("Wall Time", "real"),
];

/// Reads every time in `text`; lines that `known` knows are not counted as unknown.
pub(crate) fn read(
    text: &str,
    suites: &Suites,
    sink: &mut Sink,
    known: impl Fn(&str) -> bool,
) -> Result<(), Fault> {
    for (at, line) in numbered(text) {
        if let Some((name, value)) = figure(line) {
            let seconds = clock(value).ok_or_else(|| {
                Fault::at(
                    at,
                    column(line, value),
                    format!("'{}' should be a time", crate::lines::short(value)),
                )
            })?;
            sink.add_unless_zero(suite_of(suites, name), name, Quantity::SECONDS, seconds);
        } else if let Some(value) = line.trim().strip_prefix("Maximum resident set size (kbytes):")
        {
            let size = must(line, at, value.trim(), "a size in KiB")?;
            sink.add_unless_zero(suite_of(suites, "memory"), "memory", Quantity::KIB, size);
        } else if let Some(times) = gnu(line) {
            for (name, seconds) in times {
                sink.add_unless_zero(suite_of(suites, name), name, Quantity::SECONDS, seconds);
            }
        } else if !line.trim().is_empty() && !known(line) {
            sink.unknown += 1;
        }
    }
    Ok(())
}

/// Real time is what a geometric mean may be of; its parts stand in a suite of their own.
fn suite_of<'a>(suites: &Suites<'a>, name: &str) -> &'a str {
    if name == "real" { suites.0 } else { suites.1 }
}

/// The suite of real time, and that of its parts.
pub(crate) type Suites<'a> = (&'a str, &'a str);

/// `real 0m0.055s` and its kin: the figure's name and the text that should be a time.
fn figure(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim();
    LABELS.iter().find_map(|(label, name)| {
        let rest = line.strip_prefix(label)?;
        let value = rest.trim_start();
        let apart = rest.len() > value.len();
        let timelike = value.starts_with(|c: char| c.is_ascii_digit()) && !value.contains(' ');
        (apart && timelike).then_some((*name, value))
    })
}

/// `0.00user 0.00system 0:00.05elapsed 1%CPU …`.
fn gnu(line: &str) -> Option<[(&'static str, f64); 3]> {
    let mut tokens = line.split_ascii_whitespace();
    let user = clock(tokens.next()?.strip_suffix("user")?)?;
    let sys = clock(tokens.next()?.strip_suffix("system")?)?;
    let real = clock(tokens.next()?.strip_suffix("elapsed")?)?;
    Some([("real", real), ("user", user), ("sys", sys)])
}
