//! A server and its client over the loopback interface.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "redis",
    about: "Redis answers SETs of clients that wait for each answer",
    packages: &["redis-server", "redis-tools"],
    // Two boots of the host share its ports, so each server has one of its own; /tmp is the boot's.
    background: "port=$((20000 + $$ % 10000)); echo $port > /tmp/redis; \
                 exec redis-server --port $port --save '' --appendonly no --bind 127.0.0.1 --dir /tmp --daemonize no",
    ready: "redis-cli -p $(cat /tmp/redis) ping | grep -q PONG",
    command: "redis-benchmark -p $(cat /tmp/redis) -n 15000 -c $LOAD -t set --csv",
    metric: Some(("^\"SET\",\"([0-9.]+)\"", "1/s")),
    load: ("clients", &[20]),
    ..PLAIN
};
