//! Primitives with a price: what is counted of a layer, and the row that says what one costs natively.

use super::seen::One;
use tare_proto::outside::{ALL_REGISTERS, FLOAT_REGISTERS, Part, STOPPED, Seen};

/// Something that the host's kernel does, how often it did it, and the rows that say what one costs natively, the best first, each with
/// how many it holds.
pub(super) struct Primitive {
    /// What it is, as a plural.
    pub name: &'static str,
    /// How often.
    pub count: fn(&One) -> f64,
    /// Those rows.
    pub rows: &'static [(&'static str, f64)],
}

/// The calls by which a tracer moves its tracee on and looks at it.
const TRACES: &str = "ptrace";
const WAITS: &str = "wait4";

/// All of them. What one contains another one does not count again: a traced thread's stop is two switches and two calls.
pub(super) const PRIMITIVES: [Primitive; 8] = [
    Primitive { name: "stops of a traced thread", count: stops, rows: &[("causes/stop", 1.0)] },
    // Of an older campaign nobody knows which registers; its one price was the mean of two sets.
    Primitive {
        name: "reads and writes of its registers",
        count: |one| looks(one) - event(one, FLOAT_REGISTERS) - event(one, ALL_REGISTERS),
        rows: &[("causes/registers_general", 1.0), ("causes/registers", 1.0)],
    },
    Primitive {
        name: "reads and writes of its FP registers",
        count: |one| event(one, FLOAT_REGISTERS),
        rows: &[("causes/registers_float", 1.0)],
    },
    Primitive {
        name: "reads and writes of all its registers",
        count: |one| event(one, ALL_REGISTERS),
        rows: &[("causes/registers_all", 1.0)],
    },
    Primitive {
        name: "system calls of the host",
        count: |one| one.all(Seen::Calls) - looks(one) - 2.0 * stops(one),
        rows: &[("lmbench/null_call", 1.0), ("operations/null", 1.0), ("kernel/getppid", 10.0)],
    },
    Primitive {
        name: "switches between threads",
        count: |one| one.all(Seen::Switches) - 2.0 * stops(one),
        rows: &[("operations/switch", 1.0), ("lmbench/ctx_2p_0k", 1.0)],
    },
    Primitive {
        name: "signals",
        count: |one| one.all(Seen::Signals),
        rows: &[("lmbench/sig_catch", 1.0), ("operations/signal", 1.0), ("kernel/segv", 1.0)],
    },
    Primitive {
        name: "page faults",
        count: |one| one.all(Seen::Faults),
        rows: &[("operations/fault_anonymous", 1.0), ("lmbench/page_fault", 1.0)],
    },
];

/// Stops for which a tracer waited, and after which it moved its tracee on.
fn stops(one: &One) -> f64 {
    let stops = of_all(one, Seen::Switches, STOPPED);
    stops.min(of_all(one, Seen::Calls, TRACES)).min(of_all(one, Seen::Calls, WAITS))
}

/// Calls of a tracer that do not move its tracee on.
fn looks(one: &One) -> f64 {
    (of_all(one, Seen::Calls, TRACES) - stops(one)).max(0.0)
}

fn event(one: &One, kind: &str) -> f64 {
    of_all(one, Seen::Events, kind)
}

/// The count of all parts of the layer.
fn of_all(one: &One, seen: Seen, kind: &str) -> f64 {
    Part::ALL.map(|part| one.count(seen, part, kind)).iter().sum()
}
