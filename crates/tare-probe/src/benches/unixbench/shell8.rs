//! UnixBench "Shell Scripts (8 concurrent)"; see [`script`].

use super::{LPM, SCRIPT, against, row, script};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/shell8",
    "Shell Scripts, 8 at once (lpm): sort, od, grep, tee, wc and rm of the probe's own shell",
    Unit::PerSecond,
    SCRIPT,
    |own| against(6.0 * LPM, own, script::prepare::<8>),
);
