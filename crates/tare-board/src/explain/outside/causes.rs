//! What an operation costs more on a layer, made of causes: how often the host did something for it, times what that costs natively; the
//! layer's own code; waiting; and what these do not explain.

use super::seen::One;
use crate::board::Scoreboard;
use serde::Serialize;
use tare_proto::outside::{ASLEEP, Part, READY, SYSTEM, Seen, USER};

/// One cause of the added time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostPart {
    /// What it is.
    pub name: String,
    /// How often more than on the baseline it happens in an operation; `None` of what is measured as time.
    pub count: Option<f64>,
    /// What one costs on the baseline, in nanoseconds; `None` where the campaign has no such row.
    pub price_ns: Option<f64>,
    /// Its part of the added time, in nanoseconds.
    pub ns: f64,
}

impl CostPart {
    /// Whether nobody knows what it is: time in the host's kernel that no price covers, or what is left.
    pub(super) fn is_unexplained(&self) -> bool {
        [BEYOND, REMAINDER].contains(&self.name.as_str())
    }
}

/// A row that is this much dearer than on the baseline, as a share, has something to explain.
pub(super) const DEARER: f64 = 0.1;

/// A primitive: what is counted, and the rows that say what one costs natively, the best first, each with how many it holds.
struct Primitive {
    name: &'static str,
    seen: Seen,
    rows: &'static [(&'static str, f64)],
}

const PRIMITIVES: [Primitive; 4] = [
    Primitive {
        name: "system calls of the host",
        seen: Seen::Calls,
        rows: &[("lmbench/null_call", 1.0), ("operations/null", 1.0), ("kernel/getppid", 10.0)],
    },
    Primitive {
        name: "switches between threads",
        seen: Seen::Switches,
        rows: &[("operations/switch", 1.0), ("lmbench/ctx_2p_0k", 1.0)],
    },
    Primitive {
        name: "signals",
        seen: Seen::Signals,
        rows: &[("lmbench/sig_catch", 1.0), ("operations/signal", 1.0), ("kernel/segv", 1.0)],
    },
    Primitive {
        name: "page faults",
        seen: Seen::Faults,
        rows: &[("operations/fault_anonymous", 1.0), ("lmbench/page_fault", 1.0)],
    },
];

/// The name of the time in the layer's own code.
pub(super) const OWN_CODE: &str = "the layer's own code (user mode)";
/// The name of the time in which nothing of the layer ran that the operation waited for.
pub(super) const WAITING: &str = "waiting for a CPU, or for something else";
/// The name of the time in the host's kernel that no price covers.
pub(super) const BEYOND: &str = "the host's kernel, beyond these prices";
/// The name of what is left.
pub(super) const REMAINDER: &str = "not explained by these";

/// What `board`'s baseline says that a primitive costs, in nanoseconds.
fn price(board: &Scoreboard, primitive: &Primitive) -> Option<f64> {
    primitive.rows.iter().find_map(|(name, holds)| {
        let row = board.rows.iter().find(|row| row.benchmark == *name)?;
        let pair = row.cells.iter().find_map(|cell| cell.pair)?;
        Some(pair.baseline / holds).filter(|ns| ns.is_finite() && *ns > 0.0)
    })
}

/// The causes of `added` nanoseconds that the layer takes more than the baseline for an operation; the last is what is left.
pub(super) fn causes(board: &Scoreboard, baseline: &One, layer: &One, added: f64) -> Vec<CostPart> {
    let mut causes: Vec<CostPart> = Vec::new();
    for primitive in &PRIMITIVES {
        let count = layer.all(primitive.seen) - baseline.all(primitive.seen);
        if count.abs() < 0.005 {
            continue;
        }
        let price_ns = price(board, primitive);
        let ns = count * price_ns.unwrap_or(0.0);
        causes.push(CostPart { name: primitive.name.into(), count: Some(count), price_ns, ns });
    }
    let time = |name: &str, of: &dyn Fn(&One) -> f64| {
        let ns = of(layer) - of(baseline);
        CostPart { name: name.into(), count: None, price_ns: None, ns }
    };
    let own = |one: &One| Part::ALL.iter().map(|part| one.time(*part, USER)).sum();
    let waits = |one: &One| {
        let of = |part: &Part| one.time(*part, READY) + one.time(*part, ASLEEP);
        Part::ALL.iter().map(of).sum()
    };
    let priced: f64 = causes.iter().map(|cause| cause.ns).sum();
    let in_kernel = |one: &One| Part::ALL.iter().map(|part| one.time(*part, SYSTEM)).sum();
    let beyond = time(BEYOND, &in_kernel);
    causes.push(CostPart { ns: (beyond.ns - priced).max(0.0), ..beyond });
    causes.push(time(OWN_CODE, &own));
    causes.push(time(WAITING, &waits));
    causes.retain(|cause| cause.ns.abs() >= 0.005 * added.abs() || cause.count.is_some());
    let explained: f64 = causes.iter().map(|cause| cause.ns).sum();
    let (name, ns) = (REMAINDER.into(), added - explained);
    causes.push(CostPart { name, count: None, price_ns: None, ns });
    causes
}
