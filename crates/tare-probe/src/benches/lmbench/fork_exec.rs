//! lmbench "exec proc": fork(2), the child becomes a program that writes one line, the parent
//! waits for it. As in lmbench its standard output is closed.
//!
//! The program is the probe itself under another name: static, where lmbench's is usually linked
//! dynamically and pays for its loader, and the same bits in every layer. It ends before the C library
//! begins ([`crate::entry`]); [`super::fork_exec_libc`] is the same with that.

use super::latency;
use crate::applets::HELLO;
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exec_applet};

pub const BENCH: Bench = latency(
    "lmbench/fork_exec",
    "fork(2), execve(2) of a tiny static program without a C library, waitpid(2)",
    prepare,
);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| child_exits(0, || exec_applet(&[HELLO]))))
}
