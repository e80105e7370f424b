//! The table of benchmarks: one file and one row each. `tare list`, reports, docs and tests read it.

mod aim7;
mod causes;
mod disk;
mod hackbench;
mod kernel;
mod lmbench;
mod net;
mod operations;
mod stream;
mod sysbench;
mod unixbench;
mod warehouse;

use crate::bench::{Bench, Suite};
use tare_proto::FIRST_DEFINITION;

/// Benchmarks whose definition has changed since it was first numbered, with the number of changes. Whoever changes what a benchmark
/// does, so that its figures cannot be compared with those of an earlier tare, adds one here; a change of how all of them are
/// timed adds one to [`HARNESS`].
const CHANGED: &[(&str, u32)] = &[
    // Its program begins without a C library.
    ("lmbench/fork_exec", 1),
];

/// The version of how samples are taken of every benchmark.
const HARNESS: u32 = FIRST_DEFINITION;

/// The version of the definition of the benchmark called `name`.
pub fn definition(name: &str) -> u32 {
    HARNESS + CHANGED.iter().find(|(own, _)| *own == name).map_or(0, |(_, changes)| *changes)
}

/// Every suite.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "vmi",
        about: "single kernel operations: lmbench latencies and kernel loops, as VMware weighed its VMI",
    },
    Suite {
        name: aim7::SUITE,
        about: "the 53 tests of AIM's multiuser benchmark, and its mix under growing load",
    },
    Suite {
        name: aim7::calls::SUITE,
        about: "which system calls the mix of aim7 makes: counted, not timed",
    },
    Suite {
        name: "unixbench",
        about: "the twelve tests of the UnixBench 5.1.3 index, with 1 copy and one for each CPU",
    },
    Suite {
        name: "disk",
        about: "the layer's own disk, bypassing the page cache: bandwidth, IOPS, latencies by queue depth",
    },
    Suite {
        name: disk::aio_reads::SUITE,
        about: "the layer's own disk with libaio's calls, requests of 4 KiB to 1 MiB, as Intel's report on Xen's disk ring measured it",
    },
    Suite {
        name: "stream",
        about: "STREAM's four loops over arrays larger than any cache, one thread for each CPU",
    },
    Suite {
        name: "hackbench",
        about: "messages between processes or threads, through pipes or sockets, as rt-tests' hackbench",
    },
    Suite { name: "sysbench", about: "sysbench 1.0's cpu, memory, threads and mutex tests" },
    Suite {
        name: "warehouse",
        about: "transactions on CPU and memory with a growing number of warehouses, in SPECjbb's pattern",
    },
    Suite {
        name: "net",
        about: "streams and request/response between the layer and the host, and inside the layer",
    },
    Suite {
        name: operations::SUITE,
        about: "what one operation of each class costs that programs are counted by; tare predict needs it",
    },
    Suite {
        name: causes::SUITE,
        about: "rows that do one known thing so many times: what tare run --explain says is checked against them",
    },
    Suite {
        name: "robust",
        about: "rows of vmi measured in another way, to show how far their ratios hang on it; part of tare run --robust",
    },
];

/// Every benchmark with a file of its own, in the order that scoreboards show.
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
    &lmbench::fork_exec_libc::BENCH,
    &lmbench::fork_shell::BENCH,
    &lmbench::ctx_2p_0k::BENCH,
    &lmbench::ctx_2p_16k::BENCH,
    &lmbench::ctx_2p_64k::BENCH,
    &lmbench::ctx_8p_16k::BENCH,
    &lmbench::ctx_8p_64k::BENCH,
    &lmbench::ctx_16p_16k::BENCH,
    &lmbench::ctx_16p_64k::BENCH,
    &lmbench::pipe::BENCH,
    &lmbench::ring_8p::BENCH,
    &lmbench::mmap::BENCH,
    &lmbench::prot_fault::BENCH,
    &lmbench::page_fault::BENCH,
    &kernel::getppid::BENCH,
    &kernel::segv::BENCH,
    &kernel::forkwaitn::BENCH,
    &kernel::divzero::BENCH,
    &unixbench::dhry2reg::BENCH,
    &unixbench::whetstone_double::BENCH,
    &unixbench::execl::BENCH,
    &unixbench::fsbuffer::BENCH,
    &unixbench::fstime::BENCH,
    &unixbench::fsdisk::BENCH,
    &unixbench::pipe::BENCH,
    &unixbench::context1::BENCH,
    &unixbench::spawn::BENCH,
    &unixbench::shell1::BENCH,
    &unixbench::shell8::BENCH,
    &unixbench::syscall::BENCH,
    &stream::copy::BENCH,
    &stream::scale::BENCH,
    &stream::add::BENCH,
    &stream::triad::BENCH,
    &stream::triad_basepage::BENCH,
    &stream::triad_hugepage::BENCH,
    &hackbench::process_pipe::BENCH,
    &hackbench::process_socket::BENCH,
    &hackbench::thread_pipe::BENCH,
    &hackbench::thread_socket::BENCH,
    &sysbench::cpu::BENCH,
    &sysbench::memory_read::BENCH,
    &sysbench::memory_write::BENCH,
    &sysbench::threads::BENCH,
    &sysbench::mutex::BENCH,
    &warehouse::mix::BENCH,
    &warehouse::mix_hugepage::BENCH,
    &disk::read_64k::BENCH,
    &disk::write_64k::BENCH,
    &disk::randread_4k::BENCH,
    &disk::randwrite_4k::BENCH,
    &net::tcp_send::BENCH,
    &net::tcp_receive::BENCH,
    &net::tcp_rr::BENCH,
    &net::udp_rr::BENCH,
    &net::lo_stream::BENCH,
    &net::lo_tcp_rr::BENCH,
    &net::lo_udp_rr::BENCH,
];

/// Families of many small rows, a table each; they follow [`ALL`].
const TABLES: &[&[&[Bench]]] = &[
    aim7::TESTS,
    &[aim7::mix::ROWS, aim7::calls::ROWS, disk::aio_reads::ROWS, causes::ROWS],
    operations::TABLES,
];

/// Every benchmark, in the order that scoreboards show.
pub fn all() -> impl Iterator<Item = &'static Bench> {
    let tables = TABLES.iter().flat_map(|tables| tables.iter()).flat_map(|rows| rows.iter());
    ALL.iter().copied().chain(tables)
}

pub fn find(name: &str) -> Option<&'static Bench> {
    all().find(|bench| bench.name == name)
}
