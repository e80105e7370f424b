//! A stream between two processes of the layer.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "net/lo_stream",
    "a TCP stream over the layer's own loopback, 8 KiB messages, 64 KiB socket buffers",
    Unit::BytesPerSecond,
    |own| drive::send(own, &End::inside()?),
);
