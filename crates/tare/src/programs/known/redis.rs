//! A server and its client over the loopback interface.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "redis",
    about: "Redis answers SETs of clients that wait for each answer",
    packages: &["redis-server", "redis-tools"],
    background: "exec redis-server --save '' --appendonly no --bind 127.0.0.1 --dir /tmp --daemonize no",
    ready: "redis-cli ping | grep -q PONG",
    command: "redis-benchmark -n 5000 -c $LOAD -t set --csv",
    metric: Some(("^\"SET\",\"([0-9.]+)\"", "1/s")),
    load: ("clients", &[20]),
    ..PLAIN
};
