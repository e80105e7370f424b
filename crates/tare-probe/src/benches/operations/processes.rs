//! Processes, threads and programs.

use super::row;
use crate::applets::HELLO_LIBC;
use crate::bench::{Bench, Op, Refusal};
use crate::process::{child_exits, exec_applet, spawned, wait};

pub const ROWS: &[Bench] = &[
    row("operations/fork", "fork(2), exit of the child, waitpid(2)", || {
        Ok(Op::new(|| child_exits(0, || 0)))
    }),
    row(
        "operations/spawn",
        "a clone(2) that shares memory, as vfork(2), exit of the child, waitpid(2)",
        || {
            Ok(Op::new(|| {
                let ended = spawned(|| 0).and_then(wait);
                assert!(ended.is_ok_and(|(_, status)| status == 0), "a child did not exit with 0");
            }))
        },
    ),
    row("operations/thread", "a thread is started, ends and is joined", thread),
    row(
        "operations/exec",
        "execve(2) of a small static program that starts a C library, less the fork of its process",
        || {
            let start = || child_exits(0, || exec_applet(&[HELLO_LIBC]));
            Ok(Op::new(start).minus(|| child_exits(0, || 0)))
        },
    ),
];

fn thread() -> Result<Op, Refusal> {
    let once = || std::thread::spawn(|| ()).join();
    once().map_err(|_| Refusal::Failed("a thread cannot be joined".into()))?;
    Ok(Op::new(move || assert!(once().is_ok(), "a thread cannot be joined")))
}
