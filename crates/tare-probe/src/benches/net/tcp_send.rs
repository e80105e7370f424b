//! A stream from the layer to the host: netperf's TCP_STREAM.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "net/tcp_send",
    "a TCP stream from the layer to the host, 8 KiB messages, 64 KiB socket buffers",
    Unit::BytesPerSecond,
    |own| drive::send(own, &End::host()?),
);
