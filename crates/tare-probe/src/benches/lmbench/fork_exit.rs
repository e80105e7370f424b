//! lmbench "fork proc": fork(2), the child calls exit(3), the parent waits for it.
//!
//! The process that is copied is the probe, small and static; lmbench's is dynamic and has more
//! mappings to copy.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::process::child_exits;

pub const BENCH: Bench =
    latency("lmbench/fork_exit", "fork(2), exit of the child, waitpid(2)", prepare);

fn prepare() -> Result<Op, Refusal> {
    // SAFETY: the child has one thread and nothing that its exit handlers could disturb.
    Ok(Op::new(|| child_exits(1, || unsafe { libc::exit(1) })))
}
