//! `fork_exec` of a program that begins with its C library, as most do: what [`super::fork_exec`] leaves out.

use crate::applets::HELLO_LIBC;
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exec_applet};

pub const BENCH: Bench = Bench {
    suite: "robust",
    ..super::latency(
        "lmbench/fork_exec_libc",
        "lmbench/fork_exec of a program that begins with its C library",
        prepare,
    )
};

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| child_exits(0, || exec_applet(&[HELLO_LIBC]))))
}
