//! A SIGSEGV delivered and recovered from: a write to a page without access, which the handler
//! steps over. Nothing is subtracted.

use super::turn;
use crate::bench::{Bench, Op, Refusal};
use crate::memory::Mapping;
use crate::scratch;
use crate::sys::page_size;
use crate::trap;

pub const BENCH: Bench =
    turn("kernel/segv", "a write to forbidden memory: fault, SIGSEGV, handler, return", prepare);

fn prepare() -> Result<Op, Refusal> {
    let size = page_size() as usize;
    let page = Mapping::of(&scratch::nameless(size)?, size, libc::PROT_NONE)?;
    let handler = trap::recover_from(libc::SIGSEGV)?;
    Ok(Op::new(move || {
        let _restores = &handler;
        trap::forbidden_write(page.start());
    }))
}
