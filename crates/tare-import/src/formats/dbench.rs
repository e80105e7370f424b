//! dbench and tbench 2 to 4: throughput and, from 4 on, the average latency of every operation.

use crate::lines::{must, number, numbered, tokens};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "dbench",
    about: "dbench and tbench 2 to 4: throughput and average latencies by number of clients",
    sniff: |head| {
        head.starts_with("dbench version")
            || head.lines().any(|l| {
                l.starts_with("Throughput ") && l.contains(" MB/sec") && l.contains(" procs")
            })
    },
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut operations: Vec<(&str, f64)> = Vec::new();
    for (at, line) in numbered(text) {
        let tokens = tokens(line);
        match tokens[..] {
            ["Throughput", rate, "MB/sec", ..] => {
                let rate = must(line, at, rate, "a rate in MB/s")?;
                let clients = clients(&tokens);
                sink.add("dbench", &format!("throughput_{clients}"), Quantity::MB_S, rate);
                for (name, latency) in operations.drain(..) {
                    let suite = format!("dbench-latency_{clients}");
                    sink.add_unless_zero(&suite, name, Quantity::MILLIS, latency);
                }
            }
            [name, count, average, most] if number(count).and(number(most)).is_some() => {
                operations.push((name, must(line, at, average, "a latency in ms")?));
            }
            [] | [_] | ["Operation", ..] => {}
            _ => sink.unknown += 1,
        }
    }
    Ok(())
}

/// `1_clients` from `… 1 clients 1 procs`, `1_procs` in older versions.
fn clients(tokens: &[&str]) -> String {
    let at = tokens
        .iter()
        .position(|t| *t == "clients")
        .or_else(|| tokens.iter().position(|t| *t == "procs"));
    at.and_then(|at| at.checked_sub(1))
        .map_or_else(|| "clients".into(), |at| format!("{}_clients", tokens[at]))
}
