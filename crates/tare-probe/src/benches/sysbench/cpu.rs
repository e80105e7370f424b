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
    // Through a signed number, as compilers of C do where the sign is clear: that is one instruction.
    while divisor as i64 as f64 <= root {
        if remainder(number, divisor) == 0 {
            return false;
        }
        divisor += 1;
    }
    true
}

/// The remainder of a 64-bit division, as the original does it. The compiler would look first whether 32 bits are
/// enough, which they are, and which takes half the time on some processors.
#[cfg(target_arch = "x86_64")]
fn remainder(number: u64, divisor: u64) -> u64 {
    let rest: u64;
    // SAFETY: the divisor is not zero and the upper half of the number is: the quotient fits.
    unsafe {
        std::arch::asm!(
            "div {divisor}",
            divisor = in(reg) divisor,
            inout("rax") number => _,
            inout("rdx") 0u64 => rest,
            options(pure, nomem, nostack)
        );
    }
    rest
}

/// Where a division takes as long as it takes.
#[cfg(not(target_arch = "x86_64"))]
fn remainder(number: u64, divisor: u64) -> u64 {
    number % divisor
}
