//! A balloon beside the measurement: who moves the memory of a guest out and in, and how many pages have gone.
//!
//! On Xen the guest itself asks its balloon driver, so that the moves follow the guest's clock, which repeats in the simulated
//! machine. QEMU and User-Mode Linux are asked by a process on the host ([`host`]).

pub mod host;
mod xen;

use crate::facts;
use tare_proto::{BALLOON, BALLOON_COUNTER, Balloon, Counter, MOVED_BY_HOST, MOVED_UNSEEN};

/// KiB of a page.
const PAGE: u64 = 4;

/// Begins to move memory, where this guest is to do it itself. For PID 1, before it forks the process that measures.
pub fn start() -> Result<(), String> {
    match std::env::var(BALLOON).as_deref() {
        Err(_) | Ok(MOVED_BY_HOST | MOVED_UNSEEN) => Ok(()),
        Ok(text) => xen::start(text.parse()?),
    }
}

/// Pages that went out or came in since the guest started; `None` in one without a balloon, or that does not know.
pub fn moved() -> Option<u64> {
    match std::env::var(BALLOON).ok()?.as_str() {
        MOVED_UNSEEN => None,
        MOVED_BY_HOST => facts::sum("/proc/vmstat", ["balloon_inflate ", "balloon_deflate "]),
        _ => Some(xen::moved_kib()? / PAGE),
    }
}

/// What a series counts that took `ns` and began when `before` pages had moved.
pub fn counted(before: Option<u64>, ns: u64) -> Option<Counter> {
    let pages = moved()?.saturating_sub(before?) as f64;
    Some(Counter::new(BALLOON_COUNTER, pages * 1e9 / ns.max(1) as f64))
}

/// Sleeps and asks by turns for less memory and for all of it, until `ask` fails. It is asked for how much is to be out, in KiB.
fn by_turns<E>(balloon: Balloon, mut ask: impl FnMut(u64) -> Result<(), E>) -> E {
    let mut out = 0;
    loop {
        std::thread::sleep(balloon.period);
        out = balloon.kib - out;
        if let Err(error) = ask(out) {
            return error;
        }
    }
}
