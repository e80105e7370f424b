//! One byte to the host and one back: netperf's TCP_RR.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "net/tcp_rr",
    "one byte to the host and one back over one TCP connection",
    Unit::PerSecond,
    |own| drive::tcp_rr(own, &End::host()?),
);
