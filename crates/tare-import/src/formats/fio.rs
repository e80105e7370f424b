//! fio's JSON: bandwidth, operations per second and completion latency of every job and direction.

use crate::json::{at, documents, list, text};
use crate::{Fault, Format, Quantity, Sink};
use serde_json::Value;

pub const FORMAT: Format = Format {
    name: "fio",
    about: "fio --output-format=json: bandwidth, operations per second, mean and 99% latency by job and direction",
    sniff: |head| head.contains("\"fio version\""),
    parse,
};

fn parse(input: &str, sink: &mut Sink) -> Result<(), Fault> {
    for document in documents(input, sink)? {
        for job in list(&document, "jobs") {
            let name = text(job, "jobname");
            if at(job, &["error"]).is_some_and(|error| error != 0.0) {
                sink.note(format!("job {} ended with an error", crate::lines::short(name)));
            }
            for direction in ["read", "write", "trim"] {
                if let Some(part) = job.get(direction) {
                    one(&format!("{name}_{direction}"), part, sink);
                }
            }
        }
    }
    Ok(())
}

fn one(name: &str, part: &Value, sink: &mut Sink) {
    // Version 2 has kilobytes and microseconds only.
    let bandwidth = at(part, &["bw_bytes"]).or_else(|| Some(1024.0 * at(part, &["bw"])?));
    let mean = at(part, &["clat_ns", "mean"]).or_else(|| Some(1e3 * at(part, &["clat", "mean"])?));
    let tail = at(part, &["clat_ns", "percentile", "99.000000"])
        .or_else(|| Some(1e3 * at(part, &["clat", "percentile", "99.000000"])?));
    let figures = [
        ("bandwidth", "fio", Quantity::BYTES_S, bandwidth),
        ("iops", "fio-iops", Quantity::PER_SECOND, at(part, &["iops"])),
        ("mean", "fio-latency", Quantity::NANOS, mean),
        ("p99", "fio-latency", Quantity::NANOS, tail),
    ];
    for (what, suite, unit, value) in figures {
        if let Some(value) = value {
            sink.add_unless_zero(suite, &format!("{name}_{what}"), unit, value);
        }
    }
}
