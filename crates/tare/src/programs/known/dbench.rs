//! Report 000's file server load.

use super::{Known, PLAIN, WITHOUT_WARMUP};

pub const PROGRAM: Known = Known {
    name: "dbench",
    about: "dbench: throughput of clients of a file server, in the second of its two seconds",
    packages: &["dbench"],
    command: "dbench -D /tmp -t 2 -c /usr/share/dbench/client.txt $LOAD",
    metric: Some(("^Throughput ([0-9.]+) MB/sec", "MB/s")),
    load: ("clients", &[1]),
    runs: WITHOUT_WARMUP,
    ..PLAIN
};
