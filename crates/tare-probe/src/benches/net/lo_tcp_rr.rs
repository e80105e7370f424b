//! One byte to another process of the layer and one back.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "net/lo_tcp_rr",
    "one byte to another process of the layer and one back over one TCP connection",
    Unit::PerSecond,
    |own| drive::tcp_rr(own, &End::inside()?),
);
