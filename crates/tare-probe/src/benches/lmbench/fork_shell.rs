//! lmbench "sh proc": fork(2), the child becomes `sh -c PROGRAM`, the parent waits for it.
//!
//! The shell is the probe itself under another name. As Debian's dash (0.5.11 and later) it blocks signals
//! around a vfork(2), whose child execs, and waits; but it has no start-up of its own (no shared library,
//! no handlers, no variables, no script to parse), which is most of what lmbench measures with a real shell.

use super::latency;
use crate::applets::{HELLO, SHELL};
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exec_applet};

pub const BENCH: Bench = latency(
    "lmbench/fork_shell",
    "fork(2), execve(2) of a tiny static shell that runs a tiny program, waitpid(2)",
    prepare,
);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| child_exits(0, || exec_applet(&[SHELL, c"-c", HELLO]))))
}
