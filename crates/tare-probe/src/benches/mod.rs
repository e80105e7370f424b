//! The table of benchmarks: one file and one row each. `tare list`, reports, docs and tests read it.

mod kernel;
mod lmbench;

use crate::bench::{Bench, Suite};

/// Every suite.
pub const SUITES: &[Suite] = &[Suite {
    name: "vmi",
    about: "single kernel operations: lmbench latencies and kernel loops, as VMware weighed its VMI",
}];

/// Every benchmark, in the order that scoreboards show.
pub const ALL: &[&Bench] = &[
    &lmbench::null_call::BENCH,
    &lmbench::null_io::BENCH,
    &lmbench::stat::BENCH,
    &lmbench::open_close::BENCH,
    &lmbench::select_tcp::BENCH,
    &lmbench::sig_install::BENCH,
    &lmbench::sig_catch::BENCH,
    &lmbench::fork_exit::BENCH,
    &lmbench::fork_exec::BENCH,
    &lmbench::fork_shell::BENCH,
    &lmbench::ctx_2p_0k::BENCH,
    &lmbench::ctx_2p_16k::BENCH,
    &lmbench::ctx_2p_64k::BENCH,
    &lmbench::ctx_8p_16k::BENCH,
    &lmbench::ctx_8p_64k::BENCH,
    &lmbench::ctx_16p_16k::BENCH,
    &lmbench::ctx_16p_64k::BENCH,
    &lmbench::mmap::BENCH,
    &lmbench::prot_fault::BENCH,
    &lmbench::page_fault::BENCH,
    &kernel::getppid::BENCH,
    &kernel::segv::BENCH,
    &kernel::forkwaitn::BENCH,
    &kernel::divzero::BENCH,
];

/// The benchmark named `name`.
pub fn find(name: &str) -> Option<&'static Bench> {
    ALL.iter().copied().find(|bench| bench.name == name)
}
