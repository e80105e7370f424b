//! The benchmarks that only the host can measure, such as a layer's boot time and memory: one row each.

use tare_layers::Session;
use tare_proto::Unit;

/// A benchmark that the host measures once per boot, before the probe is asked for anything.
pub struct HostBench {
    /// `host/name`.
    pub name: &'static str,
    /// One line: what is measured.
    pub about: &'static str,
    /// What a value means; lower is better.
    pub unit: Unit,
    /// Takes the value from a session that has just greeted, the probe idle; or says why not.
    pub measure: fn(&Session, start_ns: f64) -> Result<f64, String>,
}

/// The suite of these benchmarks. They are part of every suite: they are asked of every layer.
pub const HOST_SUITE: (&str, &str) =
    ("host", "what the host sees of a layer: start latency and memory; part of every suite");

/// Why memory is not known of processes that are.
const UNREADABLE: &str = "the layer's processes cannot be read by this user";

/// Every benchmark that the host measures.
pub const HOST_BENCHES: &[HostBench] = &[
    HostBench {
        name: "host/start",
        about: "from asking for the layer to the probe's greeting",
        unit: Unit::Nanoseconds,
        measure: |_, start_ns| Ok(start_ns),
    },
    HostBench {
        name: "host/footprint",
        about: "memory of all of the layer's host processes, the probe idle; pages of files count in full",
        unit: Unit::Bytes,
        measure: |session, _| match session.footprint() {
            Some(bytes) if bytes > 0 => Ok(bytes as f64),
            _ => Err(session.out_of_sight().unwrap_or(UNREADABLE).to_owned()),
        },
    },
];
