//! netperf's classic output: throughput of stream tests, rate of request/response tests, CPU use when asked for.

use crate::lines::{numbered, trailing};
use crate::{Fault, Format, Quantity, Sink};
use tare_proto::Better;

pub const FORMAT: Format = Format {
    name: "netperf",
    about: "netperf: TCP and UDP STREAM, MAERTS, SENDFILE, RR and CRR tests",
    sniff: |head| {
        head.lines()
            .any(|l| l.contains(" TEST from ") && (l.contains("port") || l.contains("AF_INET")))
            || (head.contains("Throughput") && head.contains("bits/sec") && head.contains("Socket"))
    },
    parse,
};

#[derive(Default)]
struct Test {
    name: String,
    unit: Option<Quantity>,
    done: bool,
}

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut test = Test::default();
    for (at, line) in numbered(text) {
        let row = line.trim_ascii_start().starts_with(|c: char| c.is_ascii_digit());
        if let Some((name, _)) = line.split_once(" TEST ").filter(|_| !row) {
            let name = name.strip_prefix("MIGRATED ").unwrap_or(name);
            test = Test { name: name.to_owned(), ..Test::default() };
        } else if let Some(unit) = if row { None } else { unit(line) } {
            test.unit = Some(unit);
        } else {
            let numbers = trailing(line);
            let whole = numbers.len() == line.split_ascii_whitespace().count();
            match (whole, numbers.len()) {
                (_, 0) => {}
                (true, _) => figures(&numbers, &mut test, sink, at)?,
                (false, _) => sink.unknown += 1,
            }
        }
    }
    Ok(())
}

/// The unit that a header's line names.
fn unit(line: &str) -> Option<Quantity> {
    let bits = |factor: f64| Quantity::BITS_S.value(factor) / 1e6;
    [("10^6bits", bits(1e6)), ("10^3bits", bits(1e3)), ("10^9bits", bits(1e9))]
        .into_iter()
        .find(|(mark, _)| line.contains(mark))
        .map(|(_, factor)| Quantity::MB_S.times(factor))
        .or_else(|| line.contains("per sec").then_some(Quantity::PER_SECOND))
        .or_else(|| line.contains("KBytes/s").then_some(Quantity::KIB_S))
}

/// A row of numbers: which column holds the result depends on the kind of test.
fn figures(numbers: &[f64], test: &mut Test, sink: &mut Sink, at: usize) -> Result<(), Fault> {
    let Some(unit) = test.unit else {
        return Err(Fault::at(at, 1, "a row of figures before the header that names its unit"));
    };
    let name = if test.name.is_empty() { "stream" } else { test.name.as_str() };
    let udp = name.starts_with("UDP") && name.contains("STREAM");
    let rate = unit == Quantity::PER_SECOND;
    let column = if rate || udp { 5 } else { 4 };
    match (numbers.len(), test.done) {
        (2, true) => {}
        (4, true) if udp => {
            sink.add_unless_zero("netperf", &format!("{name}_received"), unit, numbers[3])
        }
        (n, false) if n > column => {
            sink.add("netperf", name, unit, numbers[column]);
            if let [local, remote, ..] = numbers[column + 1..] {
                let share = Quantity::COUNT.with(Better::Lower);
                sink.add_unless_zero("netperf-cpu", &format!("{name}_local_percent"), share, local);
                sink.add_unless_zero(
                    "netperf-cpu",
                    &format!("{name}_remote_percent"),
                    share,
                    remote,
                );
            }
            test.done = true;
        }
        _ => sink.unknown += 1,
    }
    Ok(())
}
