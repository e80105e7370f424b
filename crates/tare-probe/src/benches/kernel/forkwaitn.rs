//! Fork, exit of the child, wait: the bare system calls, where `lmbench/fork_exit` goes through the
//! C library and its fork handlers.

use super::turn;
use crate::bench::{Bench, Op, Refusal};
use crate::sys::must;
use std::ptr;

pub const BENCH: Bench =
    turn("kernel/forkwaitn", "a fork, exit of the child, wait4(2), without the C library", prepare);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(|| {
        let child = fork();
        if child == 0 {
            // SAFETY: the child ends here.
            unsafe { libc::syscall(libc::SYS_exit_group, 0) };
        }
        must("fork", child > 0);
        let (none, no_usage) = (ptr::null_mut::<i32>(), ptr::null_mut::<libc::rusage>());
        // SAFETY: status and usage are not asked for.
        let waited = unsafe { libc::syscall(libc::SYS_wait4, child, none, 0, no_usage) };
        must("wait4", waited == child);
    }))
}

/// clone(2) that is a fork on every architecture; 0 in the child.
fn fork() -> libc::c_long {
    let (none, flags) = (0 as libc::c_long, libc::SIGCHLD as libc::c_long);
    // SAFETY: no stack and no flags: the child is a copy, and does nothing but exit.
    unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) }
}
