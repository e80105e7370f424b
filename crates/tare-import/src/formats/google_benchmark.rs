//! Google Benchmark's JSON: real and CPU time of every repetition, and the rates that it was told to count.

use crate::json::{at, documents, list, text};
use crate::{Fault, Format, Quantity, Sink};
use serde_json::Value;

pub const FORMAT: Format = Format {
    name: "google-benchmark",
    about: "Google Benchmark --benchmark_format=json: real and CPU time, items and bytes per second",
    sniff: |head| head.contains("\"benchmarks\"") && head.contains("\"real_time\""),
    parse,
};

fn parse(input: &str, sink: &mut Sink) -> Result<(), Fault> {
    for document in documents(input, sink)? {
        let runs = list(&document, "benchmarks");
        let repeated = runs.iter().any(|run| !is_aggregate(run));
        for run in runs {
            // Without repetitions listed, the mean is all there is.
            let mean = text(run, "aggregate_name") == "mean";
            if if repeated { !is_aggregate(run) } else { mean } {
                one(run, sink);
            }
        }
    }
    Ok(())
}

fn is_aggregate(run: &Value) -> bool {
    text(run, "run_type") == "aggregate"
}

fn one(run: &Value, sink: &mut Sink) {
    let name =
        if text(run, "run_name").is_empty() { text(run, "name") } else { text(run, "run_name") };
    if run.get("error_occurred").and_then(Value::as_bool) == Some(true) {
        return sink.note(format!(
            "{} failed: {}",
            crate::lines::short(name),
            text(run, "error_message")
        ));
    }
    let unit = match text(run, "time_unit") {
        "us" => Quantity::MICROS,
        "ms" => Quantity::MILLIS,
        "s" => Quantity::SECONDS,
        _ => Quantity::NANOS,
    };
    let figures = [
        ("real_time", "google-benchmark", unit, ""),
        ("cpu_time", "google-benchmark-cpu", unit, "_cpu"),
        ("items_per_second", "google-benchmark-items", Quantity::PER_SECOND, "_items"),
        ("bytes_per_second", "google-benchmark-bytes", Quantity::BYTES_S, "_bytes"),
    ];
    for (key, suite, unit, ending) in figures {
        if let Some(value) = at(run, &[key]) {
            sink.add_unless_zero(suite, &format!("{name}{ending}"), unit, value);
        }
    }
}
