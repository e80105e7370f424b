//! UnixBench "Process Creation": fork a child that calls exit(3) at once, and wait for it.

use super::{LONG, against, row};
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exit};
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/spawn",
    "Process Creation (lps): fork(2), the child calls exit(3), wait(2)",
    Unit::PerSecond,
    LONG,
    |own| against(126.0, own, prepare),
);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| child_exits(0, || exit(0))))
}
