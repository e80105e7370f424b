//! UnixBench "Shell Scripts (1 concurrent)"; see [`script`].

use super::{LPM, SCRIPT, against, row, script};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/shell1",
    "Shell Scripts, 1 at once (lpm): sort, od, grep, tee, wc and rm of the probe's own shell",
    Unit::PerSecond,
    SCRIPT,
    |own| against(42.4 * LPM, own, script::prepare::<1>),
);
