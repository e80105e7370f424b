//! `perf bench`: the time of an operation where it is printed, else the run's; bandwidths where there are some.

use crate::lines::{must, numbered, tokens};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "perf-bench",
    about: "perf bench: sched, syscall, mem and others that print times, rates or bandwidths",
    sniff: |head| head.contains("# Running '") && head.contains("' benchmark"),
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    let mut name = String::new();
    let mut total = None;
    for (at, line) in numbered(text) {
        if let Some(rest) = line.strip_prefix("# Running '") {
            finish(&name, total.take(), sink);
            name = rest.split('\'').next().unwrap_or("").replace('/', "-");
            continue;
        }
        let tokens = tokens(line);
        let value = |token: &str| must(line, at, token, "a number");
        match tokens[..] {
            [] => {}
            ["Total", "time:", seconds, ..] => total = Some(value(seconds)?),
            [time, "usecs/op"] => {
                total = None;
                sink.add("perf-bench", &name, Quantity::MICROS, value(time)?);
            }
            [_, "ops/sec"] => {}
            [rate, unit @ ("KB/sec" | "MB/sec" | "GB/sec")] => {
                let scale = match unit {
                    "KB/sec" => Quantity::KIB_S,
                    "MB/sec" => Quantity::MIB_S,
                    _ => Quantity::GB_S,
                };
                total = None;
                sink.add("perf-bench", &format!("{name}_bandwidth"), scale, value(rate)?);
            }
            _ if line.starts_with('#') => {}
            _ => sink.unknown += 1,
        }
    }
    finish(&name, total, sink);
    Ok(())
}

/// A benchmark that printed nothing but its whole time.
fn finish(name: &str, total: Option<f64>, sink: &mut Sink) {
    if let Some(seconds) = total {
        sink.add("perf-bench", name, Quantity::SECONDS, seconds);
    }
}
