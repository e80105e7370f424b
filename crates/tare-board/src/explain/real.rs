//! A real machine's ratio: the perf events that the layer's kernel let the probe count.

use super::counted::Counted;
use super::{Parts, Table, TableLine, exits};
use crate::board::{Pair, Row};
use tare_proto::Better;
use tare_proto::counter::{HARDWARE_ERRNO, PERF};
use tare_stats::{Work, decompose};

/// What is said where the processor counts nothing.
pub(super) const NOT_SPLIT: &str =
    "Without instructions and cycles of both layers the ratio cannot be split.";

/// What is said where nothing was counted.
const NOT_ASKED: &str = "No events were counted: tare run --explain counts them.";
/// The same where a simulated machine's instructions were to be counted.
const NONE_HERE: &str = "Nothing counts events on this layer: what counts a simulated machine's instructions knows x86 only.";

/// The modes in which a processor's events are counted, as their names have them.
const MODES: [&str; 2] = ["user", "kernel"];

/// Where the host has `watched` the row, only what the processor counted is left to tell: the host saw the rest on every layer.
/// `asked` says whether a simulated machine's instructions were to be counted.
pub(super) fn parts(
    counted: &Counted,
    row: &Row,
    pair: &Pair,
    watched: bool,
    asked: bool,
) -> Parts {
    let events = counted.names(PERF).into_iter().filter(|name| *name != HARDWARE_ERRNO);
    let of_processor =
        |name: &str| MODES.iter().any(|mode| name.starts_with(&format!("{PERF}{mode}/")));
    let events = events.filter(|name| !watched || of_processor(name));
    let lines = events.map(|full| {
        let name = full.trim_start_matches(PERF).replace('/', ", ").replace('_', " ");
        TableLine::new(&name, counted.both_if_counted(full))
    });
    let events = Table::new("Events per operation", lines.collect());
    let mut notes = missing(counted, asked);
    let sum = |event: &str| counted.sum(MODES.map(|p| format!("{PERF}{p}/{event}")));
    let counts = [sum("instructions"), sum("cycles")];
    let sentence = split(counts, row, pair).unwrap_or_else(|| NOT_SPLIT.into());
    if !exits::counted(counted) {
        notes.push(
            "Exits of a virtual machine are counted only under KVM with tare's own monitor.".into(),
        );
    }
    let tables = [events].into_iter().filter(|table| !table.lines.is_empty()).collect();
    Parts { sentence, tables, notes }
}

/// The ratio as path length and cycles per instruction, in a sentence, when both sides have counted instructions and cycles.
pub(super) fn split(
    [instructions, cycles]: [(f64, f64); 2],
    row: &Row,
    pair: &Pair,
) -> Option<String> {
    let speed = |value: f64| if row.better == Better::Lower { 1.0 / value } else { value };
    let work = |throughput: f64, path_length: f64, cycles: f64| Work {
        throughput,
        cpu: 1.0,
        path_length,
        cpi: cycles / path_length,
    };
    let baseline = work(speed(pair.baseline), instructions.0, cycles.0);
    let layer = work(speed(pair.layer), instructions.1, cycles.1);
    let factors = decompose(&baseline, &layer).ok()?;
    Some(format!(
        "Path length × {:.2}, cycles per instruction × {:.2}; not explained × {:.2}.",
        1.0 / factors.path_length.factor,
        1.0 / factors.cpi.factor,
        1.0 / factors.residual.factor
    ))
}

/// What the layers did not let the probe count.
fn missing(counted: &Counted, asked: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let sides = [("the baseline", &counted.baseline), ("the layer", &counted.layer)];
    for (side, one) in sides {
        let Some(errno) = one.get(HARDWARE_ERRNO).filter(|errno| *errno != 0.0) else { continue };
        let which = match one.get("perf/user/instructions") {
            Some(_) => "not all hardware events",
            None => "no hardware events",
        };
        let why = why(errno as i32);
        notes.push(format!("On {side} the kernel offers the probe {which}: {why}."));
    }
    if !counted.has_any(HARDWARE_ERRNO) && counted.names(PERF).is_empty() {
        notes.push(if asked { NONE_HERE } else { NOT_ASKED }.into());
    }
    notes
}

/// What `perf_event_open` means by an error.
fn why(errno: i32) -> String {
    match errno {
        2 | 19 | 95 => "this processor or virtual machine has no counters for them".into(),
        1 | 13 => "it forbids them (perf_event_paranoid, or a container's filter)".into(),
        38 => "it has no perf events".into(),
        other => format!("error {other}"),
    }
}
