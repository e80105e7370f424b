//! The rows of the suite `sandbox`, which the host measures around whole layers (`sandbox/`).

use tare_board::SANDBOX;
use tare_proto::{BenchInfo, Better, FIRST_DEFINITION, SuiteInfo, Unit, name_and_load};

pub(crate) const WARM: &str = "start/warm";
pub(crate) const COLD: &str = "start/cold";
pub(crate) const RATE: &str = "start/rate";
pub(crate) const HOST: &str = "start/host";
pub(crate) const RUNTIME: &str = "start/runtime";
pub(crate) const KERNEL: &str = "start/kernel";
pub(crate) const PROBE: &str = "start/probe";
pub(crate) const STOP: &str = "sandbox/stop";
pub(crate) const EXEC: &str = "sandbox/exec";
pub(crate) const TASK: &str = "sandbox/task";
pub(crate) const MEMORY: &str = "sandbox/memory";
pub(crate) const PSS: &str = "sandbox/pss";
pub(crate) const IDLE: &str = "beside/idle";
pub(crate) const BUSY: &str = "beside/busy";

/// What is done beside neighbours unless something else is asked for: what a function computes.
pub const WORK: &str = "sysbench/cpu";
/// What busy neighbours do unless something else is asked for.
pub const NEIGHBOUR: &str = "lmbench/null_call";

/// Time that a layer has for warm starts, and for tasks, in one block, in milliseconds: what fits is measured, at least once a turn.
pub(crate) const SERIES_MS: u64 = 3000;

/// Layers that are started at once unless others are asked for.
const LOADS: &[u32] = &[1, 2, 4, 8];

/// Most neighbours unless more are asked for: as many as this host has CPUs, but there are large hosts.
const NEIGHBOURS: usize = 16;

/// What loads count: layers that are started at once, or that live beside the one that measures.
const STARTS: &str = "starts";
const OTHERS: &str = "neighbours";

/// A row of the suite.
struct Row {
    name: &'static str,
    about: &'static str,
    unit: Unit,
    better: Better,
    /// What its loads count, if it has any.
    load: &'static str,
}

const fn time(name: &'static str, about: &'static str) -> Row {
    Row { name, about, unit: Unit::Nanoseconds, better: Better::Lower, load: "" }
}

/// How many times as long work takes.
const fn beside(name: &'static str, about: &'static str) -> Row {
    Row { unit: Unit::Number, load: OTHERS, ..time(name, about) }
}

const fn memory(name: &'static str, about: &'static str) -> Row {
    Row { unit: Unit::Bytes, ..time(name, about) }
}

/// Every row, in the scoreboard's order.
const ROWS: &[Row] = &[
    Row {
        load: STARTS,
        ..time(WARM, "from asking for a layer to its greeting, its files in the page cache")
    },
    time(COLD, "the same after the layer's own files were dropped from the page cache"),
    time(
        HOST,
        "of a warm start: tare's keeper, folders, bundle or initramfs, until the first process",
    ),
    time(RUNTIME, "of a warm start: the runtime or monitor"),
    time(KERNEL, "of a warm start: the layer's own kernel, from the start of its clock"),
    time(PROBE, "of a warm start: the probe, from its first instructions to its greeting"),
    time(STOP, "from asking a layer to finish until its last process, mount and folder are gone"),
    time(EXEC, "a second process in a running layer, to its end"),
    time(TASK, "a layer for ten milliseconds of work: its start, the work, its stop"),
    Row {
        unit: Unit::PerSecond,
        better: Better::Higher,
        load: STARTS,
        ..time(RATE, "starts a second, of as many as are asked for at once")
    },
    memory(MEMORY, "what one more idle layer takes of the host's available memory"),
    memory(PSS, "what one more idle layer adds to the proportional memory of all their processes"),
    beside(
        IDLE,
        "how many times as long work (--beside) takes beside idle layers of the same kind",
    ),
    beside(BUSY, "the same while these are busy (--neighbour)"),
];

/// The suite, as `tare list` shows it.
#[must_use]
pub fn suite() -> SuiteInfo {
    let about =
        "starts of whole layers, one and many at once, their stop, and what they take while idle";
    SuiteInfo { name: SANDBOX.into(), about: about.into() }
}

/// Its rows.
#[must_use]
pub fn rows() -> Vec<BenchInfo> {
    ROWS.iter().map(info).collect()
}

/// Whether `bench` is one of these rows, at any load.
#[must_use]
pub fn is_row(bench: &BenchInfo) -> bool {
    bench.suite == SANDBOX
}

fn info(row: &Row) -> BenchInfo {
    BenchInfo {
        name: row.name.into(),
        about: row.about.into(),
        unit: row.unit,
        better: row.better,
        suite: SANDBOX.into(),
        estimator: "median".into(),
        samples: 1,
        load: row.load.into(),
        loads: match row.load {
            STARTS => LOADS.to_vec(),
            OTHERS => vec![neighbours()],
            _ => vec![1],
        },
        series_ms: SERIES_MS,
        definition: FIRST_DEFINITION,
        ..BenchInfo::default()
    }
}

/// As many neighbours as make this host's CPUs busy.
fn neighbours() -> u32 {
    std::thread::available_parallelism().map_or(1, |cpus| cpus.get().min(NEIGHBOURS)) as u32
}

/// Whether `bench` is measured beside neighbours.
#[must_use]
pub fn has_neighbours(bench: &BenchInfo) -> bool {
    is_row(bench) && bench.load == OTHERS
}

/// Whether one search finds the loads of both rows: they count the same starts.
#[must_use]
pub fn same_search(one: &str, other: &str) -> bool {
    let starts = [WARM, RATE];
    one == other || (starts.contains(&one) && starts.contains(&other))
}

/// How many layers `bench` is about at once.
pub(crate) fn load(bench: &BenchInfo) -> u32 {
    name_and_load(&bench.name).1
}
