//! UnixBench "Process Creation": fork a child that exits at once, and wait for it.

use super::{LONG, against, row};
use crate::bench::{Bench, Op, Refusal};
use crate::process::child_exits;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/spawn",
    "Process Creation (lps): fork(2), the child exits, wait(2)",
    Unit::PerSecond,
    LONG,
    |own| against(126.0, own, prepare),
);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| child_exits(0, || 0)))
}
