//! Report 004's processor load.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "sysbench",
    about: "SysBench cpu: events a second, of 1,000, primes up to 10,000",
    packages: &["sysbench"],
    command: "sysbench cpu --threads=$LOAD --time=0 --events=1000 --cpu-max-prime=10000 run",
    metric: Some(("events per second: +([0-9.]+)", "1/s")),
    load: ("threads", &[1]),
    ..PLAIN
};
