//! lmbench "Prot Fault": a write to a read-only file mapping, caught by a handler; less what
//! catching a signal costs, which is `lmbench/sig_catch`: a caught kill(2) less a bare one.
//!
//! lmbench's handler returns into the same write again; ours steps over it.

use super::latency;
use super::sig_catch::{catch, send};
use crate::bench::{Bench, Op, Refusal};
use crate::memory::Mapping;
use crate::scratch;
use crate::sys::page_size;
use crate::trap;

pub const BENCH: Bench = latency(
    "lmbench/prot_fault",
    "a write to a read-only file mapping, caught, less lmbench/sig_catch",
    prepare,
);

/// The operation, which the suite `operations` measures too.
pub fn prepare() -> Result<Op, Refusal> {
    let size = page_size() as usize;
    let page = Mapping::of(&scratch::nameless(size)?, size, libc::PROT_READ)?;
    let handler = trap::recover_from(libc::SIGSEGV)?;
    let fault = move || {
        let _restores = &handler;
        trap::forbidden_write(page.start());
    };
    Ok(Op::new(fault).minus(catch()?).plus(send(0)))
}
