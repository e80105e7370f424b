//! lmbench "stat": stat(2) of one file, by its absolute path.

use super::latency;
use crate::bench::{Bench, Op, Refusal};
use crate::scratch::Named;
use crate::sys::must;
use std::mem::MaybeUninit;

pub const BENCH: Bench = latency("lmbench/stat", "one stat(2) of an empty file", prepare);

fn prepare() -> Result<Op, Refusal> {
    let file = Named::new("stat")?;
    let path = file.c_path();
    let mut result = MaybeUninit::<libc::stat>::uninit();
    Ok(Op::new(move || {
        let _keep = &file;
        // SAFETY: `path` is NUL-terminated and `result` is a valid place to write to.
        must("stat", unsafe { libc::stat(path.as_ptr(), result.as_mut_ptr()) } == 0);
    }))
}
