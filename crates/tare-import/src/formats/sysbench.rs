//! sysbench 0.4 to 1.0, both layouts: rates, latencies and bandwidths of cpu, memory, threads, mutex, fileio and OLTP.

use crate::lines::{after, clock, column, first, number, numbered};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "sysbench",
    about: "sysbench 0.4 to 1.0: cpu, memory, threads, mutex, fileio and OLTP in both layouts",
    sniff: |head| {
        head.lines().any(|line| line.starts_with("sysbench ")) || head.contains("Threads fairness:")
    },
    parse,
};

/// What is gathered of one run until it ends.
#[derive(Default)]
struct Run {
    test: Option<&'static str>,
    seconds: Option<f64>,
    events: Option<f64>,
    /// Figures with a name of their own.
    figures: Vec<(&'static str, Quantity, f64)>,
}

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut run = Run::default();
    for (at, line) in numbered(text) {
        if line.starts_with("sysbench ") {
            std::mem::take(&mut run).finish(sink);
        }
        if let Some(test) = announced(line) {
            run.test = run.test.or(Some(test));
        } else if let Some((key, value)) = summary(line) {
            let value = clock(first(value)).or_else(|| number(first(value)));
            let wrong =
                || Fault::at(at, column(line, line.trim()), format!("'{key}' should be a number"));
            let value = value.ok_or_else(wrong)?;
            *(if key == "total time" { &mut run.seconds } else { &mut run.events }) = Some(value);
        } else if let Some(figure) = figure(line) {
            run.figures.push(figure);
        } else if !line.trim().is_empty() {
            sink.unknown += 1;
        }
    }
    run.finish(sink);
    Ok(())
}

/// What a line says of the kind of test; `threads` and `mutex` say nothing in the new layout.
fn announced(line: &str) -> Option<&'static str> {
    const MARKS: &[(&str, &str)] = &[
        ("CPU speed:", "cpu"),
        ("Doing CPU performance", "cpu"),
        ("Running memory speed test", "memory"),
        ("Doing memory operations", "memory"),
        ("Doing thread subsystem", "threads"),
        ("Doing mutex performance", "mutex"),
        ("Extra file open flags", "fileio"),
        ("File operations:", "fileio"),
        ("OLTP test statistics", "oltp"),
        ("SQL statistics:", "oltp"),
        ("Doing OLTP test", "oltp"),
    ];
    let plain = line.trim_ascii_start();
    MARKS.iter().find(|(mark, _)| plain.starts_with(mark)).map(|(_, test)| *test)
}

/// `total time:` and `total number of events:`, which every run ends with.
fn summary(line: &str) -> Option<(&'static str, &str)> {
    ["total time", "total number of events"]
        .into_iter()
        .find_map(|key| Some((key, after(line, key)?.strip_prefix(':')?.trim())))
}

fn figure(line: &str) -> Option<(&'static str, Quantity, f64)> {
    let plain = line.trim();
    const KEYS: &[(&str, &str, Quantity)] = &[
        ("avg:", "latency_avg", Quantity::MILLIS),
        ("95th percentile:", "latency_p95", Quantity::MILLIS),
        ("approx.  95 percentile:", "latency_p95", Quantity::MILLIS),
        ("reads/s:", "reads", Quantity::PER_SECOND),
        ("writes/s:", "writes", Quantity::PER_SECOND),
        ("fsyncs/s:", "fsyncs", Quantity::PER_SECOND),
        ("read, MiB/s:", "read_bandwidth", Quantity::MIB_S),
        ("written, MiB/s:", "write_bandwidth", Quantity::MIB_S),
    ];
    for (key, name, quantity) in KEYS {
        if let Some(value) = plain.strip_prefix(key) {
            let value = value.trim();
            return Some((name, *quantity, number(value.strip_suffix("ms").unwrap_or(value))?));
        }
    }
    if let Some(rate) = plain.strip_suffix("Requests/sec executed") {
        return Some(("requests", Quantity::PER_SECOND, number(rate.trim())?));
    }
    bracketed(plain)
}

/// `transactions: 9000 (900.00 per sec.)`, `204800 ops (1024.00 ops/sec)`, `200.00 MB transferred (4054.43 MB/sec)`.
fn bracketed(line: &str) -> Option<(&'static str, Quantity, f64)> {
    let (label, inside) = line.split_once('(')?;
    let inside = inside.strip_suffix(')')?;
    let value = number(first(inside).trim_end_matches("Mb/sec"))?;
    let rate = Quantity::PER_SECOND;
    let known = [
        ("transactions:", "transactions", rate),
        ("read/write requests:", "requests", rate),
        ("queries:", "queries", rate),
        ("Total operations:", "operations", rate),
        ("Operations performed:", "operations", rate),
        ("Read ", "bandwidth", Quantity::MIB_S),
    ];
    let found = known.into_iter().find(|(key, ..)| label.starts_with(key));
    let transferred = label.contains("transferred").then_some(("", "bandwidth", Quantity::MIB_S));
    let (_, name, quantity) = found.or(transferred)?;
    Some((name, quantity, value))
}

impl Run {
    /// A whole run as figures: the rate of events from their number and the time, and what else was printed.
    fn finish(self, sink: &mut Sink) {
        let test = self.test.unwrap_or_else(|| from_stem(&sink.stem));
        let suite = format!("sysbench-{test}");
        if let (Some(seconds), Some(events)) = (self.seconds.filter(|s| *s > 0.0), self.events) {
            sink.add_unless_zero(&suite, "events", Quantity::PER_SECOND, events / seconds);
        }
        for (name, quantity, value) in self.figures {
            sink.add_unless_zero(&suite, name, quantity, value);
        }
    }
}

/// The test that the file's name speaks of.
fn from_stem(stem: &str) -> &'static str {
    let tests = ["threads", "mutex", "memory", "fileio", "oltp", "cpu"];
    tests.into_iter().find(|test| stem.contains(test)).unwrap_or("run")
}
