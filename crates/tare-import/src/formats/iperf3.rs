//! iperf3's JSON: what was sent and received, retransmits, jitter and CPU use.

use crate::json::{at, documents};
use crate::{Fault, Format, Quantity, Sink};

pub const FORMAT: Format = Format {
    name: "iperf3",
    about: "iperf3 --json: throughput, retransmits, jitter, CPU use",
    sniff: |head| head.contains("\"test_start\"") || head.contains("\"sum_received\""),
    parse,
};

fn parse(text: &str, sink: &mut Sink) -> Result<(), Fault> {
    for document in documents(text, sink)? {
        let start = document.get("start").and_then(|start| start.get("test_start"));
        let protocol = start.map_or("tcp", |start| crate::json::text(start, "protocol"));
        let streams = start.and_then(|start| at(start, &["num_streams"])).unwrap_or(1.0);
        let prefix = format!("{protocol}_{streams}_streams");
        let mut add = |suite: &str, name: &str, unit: Quantity, path: &[&str]| {
            if let Some(value) = at(&document, path) {
                sink.add_unless_zero(suite, &format!("{prefix}_{name}"), unit, value);
            }
        };
        add("iperf3", "sent", Quantity::BITS_S, &["end", "sum_sent", "bits_per_second"]);
        add("iperf3", "received", Quantity::BITS_S, &["end", "sum_received", "bits_per_second"]);
        add("iperf3", "total", Quantity::BITS_S, &["end", "sum", "bits_per_second"]);
        add("iperf3-jitter", "jitter", Quantity::MILLIS, &["end", "sum", "jitter_ms"]);
        add("iperf3-loss", "retransmits", Quantity::COUNT, &["end", "sum_sent", "retransmits"]);
        add("iperf3-loss", "lost_percent", Quantity::COUNT, &["end", "sum", "lost_percent"]);
        let cpu = "cpu_utilization_percent";
        add("iperf3-cpu", "host_percent", Quantity::COUNT, &["end", cpu, "host_total"]);
        add("iperf3-cpu", "remote_percent", Quantity::COUNT, &["end", cpu, "remote_total"]);
    }
    Ok(())
}
