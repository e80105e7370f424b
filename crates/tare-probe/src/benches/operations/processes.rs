//! Processes, threads and programs.

use super::row;
use crate::applets::HELLO_LIBC;
use crate::bench::{Bench, Op, Refusal};
use crate::memory::{Mapping, Pages};
use crate::numbers;
use crate::process::{child_exits, exec_applet, spawned, wait};
use crate::sys::{must, page_size};
use std::ffi::CStr;
use std::ptr;
use std::rc::Rc;

pub const ROWS: &[Bench] = &[
    row("operations/fork", "fork(2), exit of the child, waitpid(2)", || {
        Ok(Op::new(|| child_exits(0, || 0)))
    }),
    row(
        "operations/fork_page",
        "a page of a process that is forked: of one with 2,048 pages more, touched in no order",
        forked_pages,
    ),
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
    row("operations/exec_miss", "execve(2) of a program that is not there", || {
        Ok(Op::new(|| {
            let none = [ptr::null::<libc::c_char>()];
            // SAFETY: the path is NUL-terminated, and both lists end at once.
            let done = unsafe { libc::execve(ABSENT.as_ptr(), none.as_ptr(), none.as_ptr()) };
            must("execve", done == -1);
        }))
    }),
];

/// In User-Mode Linux a page costs a fork 20 times more where its neighbours are not next to it in the guest's memory, as in programs
/// that have touched their pages in no order.
fn forked_pages() -> Result<Op, Refusal> {
    let page = page_size() as usize;
    let held = Mapping::anonymous(PAGES * page, Pages::Base)?;
    let mut order: Vec<usize> = (0..PAGES).collect();
    let mut random = numbers::SEED;
    for last in (1..PAGES).rev() {
        order.swap(last, numbers::next(&mut random) as usize % (last + 1));
    }
    for at in order {
        // SAFETY: the page is the mapping's own.
        unsafe { held.start().wrapping_add(at * page).write_volatile(1) };
    }
    let held = Rc::new(held);
    let forked = |advice: libc::c_int| {
        let held = held.clone();
        move || {
            // SAFETY: the region is the mapping's own, and no child uses it.
            let done = unsafe { libc::madvise(held.start().cast(), PAGES * page, advice) };
            must("madvise", done == 0);
            child_exits(0, || 0);
        }
    };
    let op = Op::new(forked(libc::MADV_DOFORK)).minus(forked(libc::MADV_DONTFORK));
    Ok(op.divided_by(PAGES as f64))
}

/// Pages that a child has or has not.
const PAGES: usize = 2048;

/// There is no such program.
const ABSENT: &CStr = c"/tare-no-such-program";

fn thread() -> Result<Op, Refusal> {
    let once = || std::thread::spawn(|| ()).join();
    once().map_err(|_| Refusal::Failed("a thread cannot be joined".into()))?;
    Ok(Op::new(move || assert!(once().is_ok(), "a thread cannot be joined")))
}
