//! lmbench 3's raw result file: every named figure, context switches, mappings, bandwidths and memory latencies.

use crate::lines::{must, number, numbered, tokens};
use crate::systems::{self, Beginning};
use crate::{Fault, Format, Quantity, Sink};

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
    ("Select on 100 tcp fd's", "select_tcp"),
    ("Select on 100 fd's", "select_100fd"),
];

/// What the summary calls null I/O is the mean of these two.
const NULL_IO: [&str; 2] = ["Simple read", "Simple write"];

/// Where each result file begins that somebody has joined, with the host that it is of.
fn beginnings(text: &str) -> Vec<Beginning> {
    let heads = numbered(text).filter(|(_, line)| line.starts_with("[lmbench"));
    heads.map(|(line, text)| Beginning { line, system: text.trim().to_owned() }).collect()
}

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    systems::one_only(&beginnings(text))?;
    let mut section = None;
    let mut memory = "mem_latency";
    let mut read = None;
    let mut name = String::new();
    for (at, line) in numbered(text) {
        let line = line.trim_ascii_end();
        if let Some(title) = line.strip_prefix('"') {
            section = heading(title, memory);
        } else if line.is_empty() {
            section = None;
        } else if section.as_ref().is_some_and(|section| row(line, section, &mut name, sink)) {
            continue;
        } else if let Some((name, value, unit)) = named(line, at)? {
            sink.add_unless_zero("lmbench", own(name), unit, value);
            read = if name == NULL_IO[0] { Some(value) } else { read };
            if let Some(read) = read.take_if(|_| name == NULL_IO[1]) {
                sink.add_unless_zero("lmbench", "null_io", unit, (read + value) / 2.0);
            }
        } else if let Some(kind) = chase(line) {
            memory = kind;
        } else if let Some(titled) = plain_heading(line) {
            section = Some(titled);
        } else {
            sink.unknown += 1;
        }
    }
    Ok(())
}

/// A name as tare has it, without the path of a scratch file.
fn own(printed: &str) -> &str {
    match OWN.iter().find(|(name, _)| *name == printed) {
        Some((_, own)) => own,
        None if printed.starts_with("Pagefaults on ") => "page_fault",
        None if printed.starts_with("File ") && printed.ends_with(" write bandwidth") => {
            "file_write_bandwidth"
        }
        None => printed,
    }
}

/// The titles of the two chases through memory, whose sections are called alike.
fn chase(line: &str) -> Option<&'static str> {
    match line {
        "Memory load latency" => Some("mem_latency"),
        "Random load latency" => Some("mem_random"),
        _ => None,
    }
}

/// Titles without a quote.
fn plain_heading(line: &str) -> Option<(String, Quantity)> {
    let known = line.starts_with("Memory ") && line.ends_with(" bandwidth");
    let socket = line.strip_prefix("Socket bandwidth using ");
    let name = socket.map(|host| format!("Socket {host}")).or(known.then(|| line.to_owned()))?;
    Some((format!("{name}_#_MB"), Quantity::MB_S))
}

/// `Simple syscall: 0.0542 microseconds`.
fn named(line: &str, at: usize) -> Result<Option<(&str, f64, Quantity)>, Fault> {
    let Some((name, rest)) = line.rsplit_once(": ") else { return Ok(None) };
    let mut tokens = rest.split_ascii_whitespace();
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
fn heading(title: &str, memory: &str) -> Option<(String, Quantity)> {
    if let Some(rest) = title.strip_prefix("size=") {
        let size = rest.split_ascii_whitespace().next().unwrap_or("");
        return Some((format!("ctx_#p_{}", size.to_uppercase()), Quantity::MICROS));
    }
    let plain = title.trim_matches('"');
    if plain == "File system latency" {
        return Some((FILES.into(), Quantity::MICROS));
    }
    match plain.split_ascii_whitespace().next().unwrap_or("") {
        "mappings" => Some(("mmap_#_MB".into(), Quantity::MICROS)),
        stride if stride.starts_with("stride=") => {
            Some((format!("{memory}_{stride}_#_MB"), Quantity::NANOS))
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

/// The section of files made and removed.
const FILES: &str = "files";

/// Reads a row of a section: two numbers, perhaps with their unit; for files their size, number, and two rates.
/// `name` is room for a name. False when it is no such row.
fn row(line: &str, section: &(String, Quantity), name: &mut String, sink: &mut Sink) -> bool {
    let (title, unit) = section;
    let mut add = |before: &str, x: &str, after: &str, value: f64| {
        name.clear();
        name.extend([before, x, after]);
        sink.add_unless_zero("lmbench", name, *unit, value);
    };
    let tokens = tokens(line);
    match tokens[..] {
        [size, _, made, removed] if title == FILES => {
            let size = size.to_uppercase();
            for (what, rate) in [("create_", made), ("delete_", removed)] {
                if let Some(rate) = number(rate).filter(|rate| *rate > 0.0) {
                    add(what, &size, "", 1e6 / rate);
                }
            }
            true
        }
        [x, y] | [x, y, "MB/sec"] if x.as_bytes()[0].is_ascii_digit() && title != FILES => {
            let Some(y) = number(y) else { return false };
            let (before, after) = title.split_once('#').unwrap_or((title, ""));
            add(before, x, after, y);
            true
        }
        _ => false,
    }
}
