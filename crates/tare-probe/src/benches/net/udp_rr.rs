//! One datagram to the host and one back: netperf's UDP_RR.

use super::end::End;
use super::{drive, row};
use crate::bench::Bench;
use tare_proto::Unit;

pub const BENCH: Bench =
    row("net/udp_rr", "a datagram of one byte to the host and one back", Unit::PerSecond, |own| {
        drive::udp_rr(own, &End::host()?)
    });
