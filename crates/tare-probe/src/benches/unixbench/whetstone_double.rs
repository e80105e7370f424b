//! UnixBench "Double-Precision Whetstone".
//!
//! H. J. Curnow and B. A. Wichmann's synthetic benchmark (The Computer Journal 19(1), 1976): the
//! eight modules that have a weight, each repeated as often as its weight says, make 100,000
//! Whetstone instructions. Sines and roots are the C library's, as in the original. Constants,
//! and the order of assignments in the procedure calls, are those of R. Longbottom's version of
//! 1996, which UnixBench took; before anything is timed, every module must end with the value
//! that he published.
//!
//! Constants are known to the compiler and procedures are its to inline, as in the original, where
//! everything is one file. Only the integers of two modules are hidden from it, in their
//! registers: otherwise it would know their values beforehand and leave the modules out.

use super::{MWIPS, SHORT, against, row};
use crate::bench::{Bench, Op, Refusal};
use std::hint::black_box;
use tare_proto::Unit;

pub const BENCH: Bench = row(
    "unixbench/whetstone_double",
    "Double-Precision Whetstone (MWIPS): the eight weighted modules of 1976",
    Unit::PerSecond,
    SHORT,
    |own| against(55.0 * MWIPS, own, prepare),
);

/// Whetstone instructions in one pass.
const INSTRUCTIONS: f64 = 100_000.0;

const T: f64 = 0.499_999_75;
const T1: f64 = 0.500_000_25;
const T2: f64 = 2.0;

/// How often each module is repeated.
type Turns = [u32; 8];

/// The weights: one pass.
const PASS: Turns = [12, 14, 345, 210, 32, 899, 616, 93];

/// What the published values come from: a hundred passes, ten times that of the first module, one turn less of the fifth.
const PROOF: Turns = [12_000, 1400, 34_500, 21_000, 3199, 89_900, 61_600, 9300];

/// What each module ends with then, in double precision.
const PUBLISHED: [f64; 8] = [
    -1.123_982_556_673_919,
    -1.121_870_798_892_844,
    1.0,
    12.0,
    0.499_029_372_815_151_4,
    0.999_999_878_908_028_2,
    3.0,
    0.751_001_630_184_578_7,
];

/// What may differ, since compilers reorder and libraries round: the published values of two compilers differ by less.
const CLOSE: f64 = 1e-9;

fn prepare() -> Result<Op, Refusal> {
    let ends = pass(black_box(PROOF));
    for (at, (end, published)) in ends.into_iter().zip(PUBLISHED).enumerate() {
        if (end - published).abs() > CLOSE {
            let module = at + 1;
            return Err(Refusal::Failed(format!(
                "Whetstone's module {module} ends with {end}, not {published}"
            )));
        }
    }
    // Rates are multiplied by what values are divided by.
    Ok(Op::new(|| {
        black_box(pass(black_box(PASS)));
    })
    .divided_by(INSTRUCTIONS))
}

/// All modules; the value that each ends with.
#[inline(never)]
fn pass(turns: Turns) -> [f64; 8] {
    let mut e = [1.0, -1.0, -1.0, -1.0];
    let mut ends = [0.0; 8];
    array_elements(turns[0], &mut e);
    ends[0] = e[3];
    (0..turns[1]).for_each(|_| array_as_parameter(&mut e));
    ends[1] = e[3];
    ends[2] = jumps(turns[2]) as f64;
    integers(turns[3], &mut e);
    ends[3] = e[0] + e[1];
    ends[4] = trigonometry(turns[4]);
    ends[5] = calls(turns[5]);
    e[..3].copy_from_slice(&[1.0, 2.0, 3.0]);
    (0..turns[6]).for_each(|_| references(&mut e, 0, 1, 2));
    ends[6] = e[2];
    ends[7] = functions(turns[7]);
    ends
}

fn array_elements(turns: u32, e: &mut [f64; 4]) {
    for _ in 0..turns {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * T;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * T;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * T;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) * T;
    }
}

fn array_as_parameter(e: &mut [f64; 4]) {
    for _ in 0..6 {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * T;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * T;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * T;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) / T2;
    }
}

fn jumps(turns: u32) -> i64 {
    let mut j = 1;
    for _ in 0..turns {
        // Each choice is made by the machine, not folded into the next.
        j = hidden(if j == 1 { 2 } else { 3 });
        j = hidden(if j > 2 { 0 } else { 1 });
        j = hidden(if j < 1 { 1 } else { 0 });
    }
    j
}

fn integers(turns: u32, e: &mut [f64; 4]) {
    let (mut j, mut k, mut l) = (1, 2, 3);
    for _ in 0..turns {
        (j, k, l) = (hidden(j), hidden(k), hidden(l));
        j = j * (k - j) * (l - k);
        k = l * k - (l - j) * k;
        l = (l - k) * (k + j);
        e[(l - 2) as usize & 3] = (j + k + l) as f64;
        e[(k - 2) as usize & 3] = (j * k * l) as f64;
    }
}

fn trigonometry(turns: u32) -> f64 {
    let (mut x, mut y) = (0.5f64, 0.5f64);
    for _ in 0..turns {
        x = T * (T2 * x.sin() * x.cos() / ((x + y).cos() + (x - y).cos() - 1.0)).atan();
        y = T * (T2 * y.sin() * y.cos() / ((x + y).cos() + (x - y).cos() - 1.0)).atan();
    }
    y
}

fn calls(turns: u32) -> f64 {
    let (mut x, mut y, mut z) = (1.0, 1.0, 1.0);
    (0..turns).for_each(|_| procedure(&mut x, &mut y, &mut z));
    z
}

fn procedure(x: &mut f64, y: &mut f64, z: &mut f64) {
    (*x, *y) = (*y, *z);
    *x = T * (*x + *y);
    *y = T1 * (*x + *y);
    *z = (*x + *y) / T2;
}

fn references(e: &mut [f64; 4], j: usize, k: usize, l: usize) {
    e[j] = e[k];
    e[k] = e[l];
    e[l] = e[j];
}

fn functions(turns: u32) -> f64 {
    let mut x = 0.75f64;
    for _ in 0..turns {
        x = (x.ln() / T1).exp().sqrt();
    }
    x
}

/// `value`, of which the compiler knows nothing any more. Unlike `black_box`, which goes through memory, it stays in its
/// register and costs nothing.
#[cfg(all(target_pointer_width = "64", not(target_arch = "powerpc64")))]
#[inline(always)]
fn hidden(mut value: i64) -> i64 {
    // SAFETY: no instruction at all, only a comment that names the register.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags))
    };
    value
}

/// Where it takes two registers, or the oldest compiler has no assembler for it, memory has to do.
#[cfg(any(target_pointer_width = "32", target_arch = "powerpc64"))]
#[inline(always)]
fn hidden(value: i64) -> i64 {
    black_box(value)
}
