//! lmbench "sig hndl": kill(2) of the process itself with a handled signal, less kill(2) with
//! signal 0 (which sends nothing).

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::signals::Handler;
use crate::sys::must;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

pub const BENCH: Bench = latency(
    "lmbench/sig_catch",
    "catching one signal: kill(2) of oneself, less a kill(2) that sends none",
    prepare,
);

static CAUGHT: AtomicU64 = AtomicU64::new(0);

fn prepare() -> Result<Op, Refusal> {
    Ok(Op::new(catch()?).minus(send(0)))
}

/// Sends a signal to this process and catches it. [`super::prot_fault`] subtracts it too.
pub fn catch() -> Result<impl FnMut() + 'static, Refusal> {
    let handler = catcher()?;
    let mut send = send(libc::SIGUSR1);
    let before = CAUGHT.load(Ordering::Relaxed);
    send();
    if CAUGHT.load(Ordering::Relaxed) == before {
        return Err(Refusal::Failed("a signal to oneself has not arrived".into()));
    }
    Ok(move || {
        let _restores = &handler;
        send();
    })
}

pub fn send(signal: libc::c_int) -> impl FnMut() + 'static {
    // SAFETY: getpid has no preconditions.
    let me = unsafe { libc::getpid() };
    // SAFETY: kill has no memory preconditions; the signal is handled or is none.
    move || must("kill", unsafe { libc::kill(me, signal) } == 0)
}

/// Installs the handler for SIGUSR1.
pub fn catcher() -> io::Result<Handler> {
    Handler::install(libc::SIGUSR1, caught)
}

/// The handler. A load and a store, not an atomic addition: nobody else counts.
pub extern "C" fn caught(_: libc::c_int) {
    CAUGHT.store(CAUGHT.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
