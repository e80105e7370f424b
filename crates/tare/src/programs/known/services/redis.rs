//! A store in memory, one thread.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "redis",
    about: "Redis, nothing is kept on a disk: INCR",
    packages: &["redis-server"],
    url: "redis://:6379/INCR key",
    rate: 500,
    command: "exec redis-server --save '' --appendonly no --bind 0.0.0.0 --protected-mode no --dir /tmp --daemonize no",
    ..PLAIN
};
