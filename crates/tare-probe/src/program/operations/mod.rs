//! The operations of a program: of one run under ptrace(2), which takes longer. No time is taken from that run. A short program
//! stops at every call ([`super::filter`]); of a longer one the later calls are looked at now and then ([`traps`]), where the
//! kernel can count them. A process that runs already is [`attached`].

pub mod attached;
mod call;
mod census;
mod cold;
mod descriptors;
mod held;
mod made;
mod ptrace;
mod sampled;
mod seen;
mod tally;
mod task;
mod tracer;
mod traps;

use super::listen::Living;
use super::run::{self, Stops, Surroundings};
use super::transfers;
use made::Calls;
use std::io;
use tare_proto::{COUNTED_SHARE, Counter};
use tracer::{Looks, Tracer};
use traps::Traps;

/// Of a program that takes less time than this every call is looked at.
const SHORT_NS: f64 = 3e8;

/// Why a program that traces others fails here.
const OF_TRACER: &str = " (it traces a program, as strace and gdb do, but what is counted here is traced already, and has only one \
                         tracer)";

/// How often the program and what it starts make each call and each operation, in one run; without a tracer it takes `ns` and makes
/// `free` reads and writes. The error says why that is not known.
pub fn count(place: &Surroundings, ns: f64, free: Option<f64>) -> io::Result<Vec<Counter>> {
    let calls = Calls::known();
    let sampled = calls.filter(|_| ns > SHORT_NS);
    let mut tracer = Tracer::new(Looks::Filtered);
    tracer.counts_apart = calls.is_some();
    let stops = match (calls, sampled) {
        (_, Some(_)) => Stops::AtBegin,
        (Some(_), None) => Stops::AtUncounted,
        (None, None) => Stops::AtCalls,
    };
    let (mut traced, mut apart) = (None, None);
    let ran = run::traced(place, stops, |pid, living| {
        let pid = pid as libc::pid_t;
        apart = calls.map(|calls| calls.count_apart(pid)).transpose()?;
        if let Some(calls) = sampled {
            tracer.looks = Looks::Sampled(Traps::new(calls, pid, ns)?);
        }
        let (status, transfers) = follow(&mut tracer, pid, living)?;
        traced = transfers;
        Ok(status)
    })?;
    let Tracer { mut seen, looks, .. } = tracer;
    apart.iter().for_each(|apart| seen.counted_apart(apart));
    if let Some(why) = seen.refused.take() {
        return Err(io::Error::other(why));
    }
    if let Some(why) = ran.why() {
        let of_tracer = if seen.traces() { OF_TRACER } else { "" };
        return Err(io::Error::other(format!("{why}{of_tracer}")));
    }
    let (each, share) = match looks {
        Looks::Sampled(traps) => traps.each(&seen),
        Looks::Filtered | Looks::All => (1.0, 1.0),
    };
    let mut counters = seen.counters(each);
    if let Some((traced, free)) = traced.zip(free) {
        transfers::correct(&mut counters, traced, free);
    }
    counters.push(Counter::new(COUNTED_SHARE, share));
    Ok(counters)
}

/// Follows `first`, which stops when it begins, and all that it starts, until it ends; its wait status, and the reads and writes
/// until then. What it leaves is counted as far as its time goes.
fn follow(
    tracer: &mut Tracer,
    first: libc::pid_t,
    living: &Living,
) -> io::Result<(i32, Option<f64>)> {
    let mut transfers = None;
    loop {
        let ended = tracer.step(|tid| {
            if tid == first {
                transfers = transfers::of(tid as u32);
                living.is_waited_for();
            }
        })?;
        if let Some((_, status)) = ended.filter(|(tid, _)| *tid == first) {
            tracer.seen.stops();
            return Ok((status, transfers));
        }
    }
}
