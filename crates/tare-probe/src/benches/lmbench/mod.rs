//! The lmbench family: latencies as lmbench 3 defines them.
//!
//! Files are memory-backed wherever the layer can (see [`crate::scratch`]), where lmbench uses the
//! disk's file system: what is weighed is the layer, not its disk.

pub mod ctx_16p_16k;
pub mod ctx_16p_64k;
pub mod ctx_2p_0k;
pub mod ctx_2p_16k;
pub mod ctx_2p_64k;
pub mod ctx_8p_16k;
pub mod ctx_8p_64k;
pub mod fork_exec;
pub mod fork_exec_libc;
pub mod fork_exit;
pub mod fork_shell;
pub mod mmap;
pub mod null_call;
pub mod null_io;
pub mod open_close;
pub mod page_fault;
pub mod pipe;
pub mod prot_fault;
pub mod ring;
pub mod ring_8p;
pub mod select_tcp;
pub mod sig_catch;
pub mod sig_install;
pub mod stat;

use crate::bench::{Bench, Op, Refusal};

/// A row of the family: a latency, reduced as report 1 reduced lmbench's.
const fn latency(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    Bench::vmi(name, about, ("best-18-of-30", 30), prepare)
}
