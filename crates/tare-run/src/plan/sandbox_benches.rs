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
pub(crate) const IDLE_CPU: &str = "sandbox/idle_cpu";
pub(crate) const IDLE: &str = "beside/idle";
pub(crate) const BUSY: &str = "beside/busy";

pub(crate) const RESTORE_START: &str = "restore/start";
pub(crate) const RESTORE_READY: &str = "restore/ready";
pub(crate) const RESTORE_COLD: &str = "restore/cold";
pub(crate) const RESTORE_EMPTY: &str = "restore/empty";
pub(crate) const READY: &str = "start/ready";
pub(crate) const EMPTY: &str = "start/empty";
pub(crate) const TOUCH: &str = "restore/first_touch";
pub(crate) const TAIL: &str = "restore/tail";
pub(crate) const SAVE: &str = "snapshot/save";
pub(crate) const STILL: &str = "snapshot/still";
pub(crate) const SIZE: &str = "snapshot/size";
pub(crate) const CLONE: &str = "clone/start";
pub(crate) const CLONE_MEMORY: &str = "clone/memory";
pub(crate) const CLONE_WRITTEN: &str = "clone/written";

/// The rows that are told by layers which are saved and restored one at a time.
pub(crate) const SAVING: [&str; 11] = [
    RESTORE_START,
    RESTORE_READY,
    RESTORE_COLD,
    RESTORE_EMPTY,
    READY,
    EMPTY,
    TOUCH,
    TAIL,
    SAVE,
    STILL,
    SIZE,
];

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
    time(IDLE_CPU, "CPU time that one idle layer takes in a second"),
    time(
        READY,
        "a fresh layer, its state prepared (64 MiB, or --state), until it has answered a request",
    ),
    time(EMPTY, "the same with 1 MiB of state"),
    time(RESTORE_START, "from asking for a restored layer to its first word"),
    time(
        RESTORE_READY,
        "from asking for a restored layer, with the same state, to the answer to a request",
    ),
    time(RESTORE_COLD, "the same after the image was dropped from the page cache"),
    time(RESTORE_EMPTY, "the same with 1 MiB of state, the image in the page cache"),
    time(TOUCH, "writing into each page of the state for the first time after a restore"),
    time(TAIL, "the 99th percentile of the first 1,000 requests after a restore"),
    time(SAVE, "from asking to save a layer until its image is whole"),
    time(STILL, "how long the layer stands still for that"),
    memory(SIZE, "what the image takes of the disk"),
    Row {
        load: STARTS,
        ..time(
            CLONE,
            "from asking for a restored layer to the answer, of so many of one image at once",
        )
    },
    memory(CLONE_MEMORY, "what one more of the same image takes of the host's available memory"),
    memory(CLONE_WRITTEN, "the same when it has written into each page of its state"),
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
    let starts = [WARM, RATE, CLONE];
    one == other || (starts.contains(&one) && starts.contains(&other))
}

/// Whether `bench` is about layers that are saved.
#[must_use]
pub fn saves(bench: &BenchInfo) -> bool {
    let name = name_and_load(&bench.name).0;
    SAVING.contains(&name) || [CLONE, CLONE_MEMORY, CLONE_WRITTEN].contains(&name)
}

/// How many layers `bench` is about at once.
pub(crate) fn load(bench: &BenchInfo) -> u32 {
    name_and_load(&bench.name).1
}
