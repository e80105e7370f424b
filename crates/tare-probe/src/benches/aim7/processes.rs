//! Processes and control: fork, exec, a script, links, signals and jumps.

use super::{job, jump, test};
use crate::applets::{HELLO, SHELL};
use crate::bench::{Bench, Op, Refusal};
use crate::benches::lmbench::sig_catch;
use crate::process::{child_exits, exec_applet};
use crate::scratch::Named;
use crate::sys::must;
use std::ffi::CString;

pub const ROWS: &[Bench] = &[
    test("aim7/fork_test", "100 processes: fork(2), exit, waitpid(2)", || {
        job(1.0, || (0..100).for_each(|_| child_exits(0, || 0)))
    }),
    test(
        "aim7/exec_test",
        "5 program loads: fork(2), execve(2) of a tiny static program, waitpid(2)",
        || job(2.0, || (0..5).for_each(|_| child_exits(0, || exec_applet(&[HELLO])))),
    ),
    test(
        "aim7/shell_rtns_1",
        "one script: three shells that run a program each, six processes",
        || {
            job(2.0, || {
                (0..3).for_each(|_| child_exits(0, || exec_applet(&[SHELL, c"-c", HELLO])));
            })
        },
    ),
    test("aim7/link_test", "63 pairs of link(2) and unlink(2)", links),
    test("aim7/signal_test", "1,000 signals sent to oneself and caught", || {
        let mut catch = sig_catch::catch()?;
        job(1.0, move || (0..1000).for_each(|_| catch()))
    }),
    test("aim7/jmp_test", "1,000 non-local jumps out of a called function", || {
        if !jump::POSSIBLE {
            return Err(Refusal::Unavailable(
                "the jumps are not implemented for this processor".into(),
            ));
        }
        job(1.0, || (0..1000).for_each(|_| jump::there_and_back()))
    }),
];

fn links() -> Result<Op, Refusal> {
    let file = Named::new("linked")?;
    let (from, to) = (file.c_path(), second_name(&file));
    job(1.0, move || {
        let _keep = &file;
        for _ in 0..63 {
            // SAFETY: both paths are NUL-terminated.
            must("link", unsafe { libc::link(from.as_ptr(), to.as_ptr()) } == 0);
            // SAFETY: the path is NUL-terminated.
            must("unlink", unsafe { libc::unlink(to.as_ptr()) } == 0);
        }
    })
}

fn second_name(file: &Named) -> CString {
    let name = file.c_path().into_string().expect("a name of ours is text");
    CString::new(name + "-2").expect("no NUL in a name")
}
