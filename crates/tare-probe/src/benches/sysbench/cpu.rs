//! sysbench cpu: an event finds the primes up to 10000 by trial division.

use super::{events, row};
use crate::bench::{Bench, Measured, Own, Refusal};
use std::hint::black_box;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "sysbench/cpu",
    "sysbench cpu: the primes up to 10000 by trial division make one event",
    Unit::PerSecond,
    run,
);

/// Numbers that are tried.
const MOST: u64 = 10_000;

/// Primes among 3..10000.
const PRIMES: u32 = 1228;

fn run(own: &Own) -> Result<Measured, Refusal> {
    if primes() != PRIMES {
        return Err(Refusal::Failed("a wrong number of primes".into()));
    }
    events(own, vec![(); own.load as usize], |()| {
        black_box(primes());
    })
}

fn primes() -> u32 {
    let most = black_box(MOST);
    (3..most).filter(|number| is_prime(*number)).count() as u32
}

fn is_prime(number: u64) -> bool {
    let root = (number as f64).sqrt();
    let mut divisor = 2;
    while divisor as f64 <= root {
        if number.is_multiple_of(divisor) {
            return false;
        }
        divisor += 1;
    }
    true
}
