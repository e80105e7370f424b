//! Bytes over the loopback interface; the suite `net` has those to another machine.

use super::{Known, PLAIN};

pub const PROGRAM: Known = Known {
    name: "iperf3",
    about: "iperf3: throughput of one TCP connection over the loopback interface",
    packages: &["iperf3"],
    background: "exec iperf3 -s -B 127.0.0.1",
    // Port 5201 listens; a connection that says nothing would be an error to it.
    ready: "grep -q '0100007F:1451 .* 0A ' /proc/net/tcp",
    command: "iperf3 -c 127.0.0.1 -n 500M -f M",
    metric: Some(("([0-9.]+) MBytes/sec +receiver", "MiB/s")),
    ..PLAIN
};
