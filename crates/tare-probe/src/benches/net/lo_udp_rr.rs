//! One datagram to another process of the layer and one back.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "net/lo_udp_rr",
    "a datagram of one byte to another process of the layer and one back",
    Unit::PerSecond,
    |own| drive::udp_rr(own, &End::inside()?),
);
