//! A stream from the host to the layer: netperf's TCP_MAERTS.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "net/tcp_receive",
    "a TCP stream from the host to the layer, 8 KiB messages, 64 KiB socket buffers",
    Unit::BytesPerSecond,
    |own| drive::receive(own, &End::host()?),
);
