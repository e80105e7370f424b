//! lmbench "fork proc": fork(2), the child calls exit(3), the parent waits for it.
//!
//! The process that is copied is the probe, small and static; lmbench's is dynamic and has more
//! mappings to copy.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exit};

pub const BENCH: Bench =
    latency("lmbench/fork_exit", "fork(2), exit of the child, waitpid(2)", prepare);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| child_exits(1, || exit(1))))
}
