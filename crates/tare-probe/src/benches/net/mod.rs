//! The network family: streams and request/response as netperf measures them (TCP_STREAM, TCP_MAERTS,
//! TCP_RR, UDP_RR), with report 0's messages of 8192 bytes and socket buffers of 65536.
//!
//! `net/tcp_*` and `net/udp_rr` are between the layer and a peer on the host, through the network that the
//! layer was given; `net/lo_*` stay inside, over the loopback interface.

pub mod lo_stream;
pub mod lo_tcp_rr;
pub mod lo_udp_rr;
pub mod tcp_receive;
pub mod tcp_rr;
pub mod tcp_send;
pub mod udp_rr;

mod drive;
mod end;

use crate::bench::{Bench, Measured, Own, Refusal};
use tare_proto::Unit;

/// A row of the family: bytes or transactions a second.
const fn row(
    name: &'static str,
    about: &'static str,
    unit: Unit,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench { unit, needs: "net", waits: false, ..Bench::own(name, about, "net", run) }
}
