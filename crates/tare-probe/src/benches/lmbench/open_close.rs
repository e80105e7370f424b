//! lmbench "open clos": open(2) for reading and close(2) of one file, by its absolute path.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::scratch::Named;
use crate::sys::must;

pub const BENCH: Bench =
    latency("lmbench/open_close", "one open(2) and close(2) of an empty file", prepare);

fn prepare() -> Result<Op, Refusal> {
    let file = Named::new("open")?;
    let path = file.c_path();
    Ok(Op::new(move || {
        let _keep = &file;
        // SAFETY: `path` is NUL-terminated.
        let opened = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY) };
        must("open", opened >= 0);
        // SAFETY: the descriptor has just been opened and nobody else knows it.
        must("close", unsafe { libc::close(opened) } == 0);
    }))
}
