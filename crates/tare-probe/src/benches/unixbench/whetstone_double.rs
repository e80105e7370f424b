//! UnixBench "Double-Precision Whetstone".
//!
//! H. J. Curnow and B. A. Wichmann's synthetic benchmark (The Computer Journal 19(1), 1976): the
//! eight modules that have a weight, each repeated as often as its weight says, make 100,000
//! Whetstone instructions. Sines and roots are the C library's, as in the original.

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

const T: f64 = 0.499_975;
const T1: f64 = 0.500_25;
const T2: f64 = 2.0;

fn prepare() -> Result<Op, Refusal> {
    // Rates are multiplied by what values are divided by.
    Ok(Op::new(|| {
        pass(black_box(T), black_box(T1), black_box(T2));
    })
    .divided_by(INSTRUCTIONS))
}

#[inline(never)]
fn pass(t: f64, t1: f64, t2: f64) {
    let mut cells = black_box([1.0, -1.0, -1.0, -1.0]);
    array_elements(12, &mut cells, t);
    array_as_parameter(14, &mut cells, t, t2);
    black_box(jumps(345));
    integers(210, &mut cells);
    black_box(trigonometry(32, t, t2));
    black_box(calls(899, t, t2));
    references(616, &mut cells);
    black_box(functions(93, t1));
    black_box(cells);
}

fn array_elements(turns: u32, e: &mut [f64; 4], t: f64) {
    for _ in 0..turns {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) * t;
    }
}

fn array_as_parameter(turns: u32, e: &mut [f64; 4], t: f64, t2: f64) {
    for _ in 0..turns {
        six_times(e, t, t2);
    }
}

#[inline(never)]
fn six_times(e: &mut [f64; 4], t: f64, t2: f64) {
    for _ in 0..6 {
        e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
        e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
        e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
        e[3] = (-e[0] + e[1] + e[2] + e[3]) / t2;
    }
}

fn jumps(turns: u32) -> i32 {
    let mut j = black_box(1);
    for _ in 0..turns {
        // Each choice is made by the machine, not folded into the next.
        j = black_box(if j == 1 { 2 } else { 3 });
        j = black_box(if j > 2 { 0 } else { 1 });
        j = black_box(if j < 1 { 1 } else { 0 });
    }
    j
}

fn integers(turns: u32, e: &mut [f64; 4]) {
    let (mut j, mut k, mut l) = (black_box(1), black_box(2), black_box(3));
    for _ in 0..turns {
        j = j * (k - j) * (l - k);
        k = l * k - (l - j) * k;
        l = (l - k) * (k + j);
        e[(l - 2) as usize & 3] = f64::from(j + k + l);
        e[(k - 2) as usize & 3] = f64::from(j * k * l);
        (j, k, l) = black_box((j, k, l));
    }
}

fn trigonometry(turns: u32, t: f64, t2: f64) -> (f64, f64) {
    let (mut x, mut y) = (black_box(0.5f64), black_box(0.5f64));
    for _ in 0..turns {
        x = t * (t2 * x.sin() * x.cos() / ((x + y).cos() + (x - y).cos() - 1.0)).atan();
        y = t * (t2 * y.sin() * y.cos() / ((x + y).cos() + (x - y).cos() - 1.0)).atan();
    }
    (x, y)
}

fn calls(turns: u32, t: f64, t2: f64) -> f64 {
    let (x, y) = (black_box(1.0), black_box(1.0));
    let mut z = 1.0;
    for _ in 0..turns {
        halve(x, y, &mut z, t, t2);
    }
    z
}

#[inline(never)]
fn halve(x: f64, y: f64, z: &mut f64, t: f64, t2: f64) {
    let x = t * (*z + x);
    let y = t * (x + y);
    *z = (x + y) / t2;
}

fn references(turns: u32, e: &mut [f64; 4]) {
    let (j, k, l) = black_box((1usize, 2usize, 3usize));
    e[1..].copy_from_slice(&[1.0, 2.0, 3.0]);
    for _ in 0..turns {
        rotate(e, j, k, l);
    }
}

#[inline(never)]
fn rotate(e: &mut [f64; 4], j: usize, k: usize, l: usize) {
    e[j & 3] = e[k & 3];
    e[k & 3] = e[l & 3];
    e[l & 3] = e[j & 3];
}

fn functions(turns: u32, t1: f64) -> f64 {
    let mut x = black_box(0.75f64);
    for _ in 0..turns {
        x = (x.ln() / t1).exp().sqrt();
    }
    x
}
