//! Numerical work: library functions, roots, points, linear systems, series and primes.

use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use std::hint::black_box;

pub const ROWS: &[Bench] = &[
    test(
        "aim7/num_rtns_1",
        "100 numeric functions: exp, log, pow, sqrt, floor and others",
        functions,
    ),
    test("aim7/trig_rtns", "10,000 trigonometric functions", trigonometry),
    test("aim7/new_raph", "200 zeros of polynomials, by Newton's and Raphson's method", zeros),
    test(
        "aim7/matrix_rtns",
        "100 points moved: three rotations and a shift composed and applied",
        points,
    ),
    test("aim7/array_rtns", "20 linear systems of 100 unknowns, by elimination", systems),
    test("aim7/series_1", "100 evaluations of a power series of 16 terms", series),
    test("aim7/sieve", "5 sieves of the primes below a million", sieves),
];

fn functions() -> Result<Op, Refusal> {
    job(1.0, || {
        for at in 1..=10 {
            let x = black_box(f64::from(at) * 0.37);
            let powers = x.exp() + x.ln() + x.powf(1.7) + x.sqrt() + x.log10();
            black_box(powers + x.floor() + x.ceil() + x.abs() + x.hypot(2.0) + (x % 0.7));
        }
    })
}

fn trigonometry() -> Result<Op, Refusal> {
    job(1.0, || {
        for at in 0..1000 {
            let x = black_box(f64::from(at) * 0.001);
            let forth = x.sin() + x.cos() + x.tan() + x.sinh() + x.cosh();
            black_box(forth + x.tanh() + x.asin() + x.acos() + x.atan() + x.atan2(0.5));
        }
    })
}

/// The real zero of x³ + x = a, for two hundred a.
fn zeros() -> Result<Op, Refusal> {
    job(1.0, || {
        for a in 1..=200 {
            let a = black_box(f64::from(a));
            let mut x = a;
            for _ in 0..100 {
                let step = (x * x * x + x - a) / (3.0 * x * x + 1.0);
                x -= step;
                if step.abs() < 1e-12 * x {
                    break;
                }
            }
            assert!((x * x * x + x - a).abs() < 1e-6, "no zero found for {a}");
        }
    })
}

type Matrix = [[f64; 4]; 4];

fn points() -> Result<Op, Refusal> {
    job(1.0, || {
        for at in 0..100 {
            let angle = black_box(f64::from(at) * 0.0628);
            let (sin, cos) = angle.sin_cos();
            let about_x: Matrix = [
                [1.0, 0.0, 0.0, 0.0],
                [0.0, cos, -sin, 0.0],
                [0.0, sin, cos, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ];
            let about_y: Matrix = [
                [cos, 0.0, sin, 0.0],
                [0.0, 1.0, 0.0, 0.0],
                [-sin, 0.0, cos, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ];
            let about_z: Matrix = [
                [cos, -sin, 0.0, 1.0],
                [sin, cos, 0.0, 2.0],
                [0.0, 0.0, 1.0, 3.0],
                [0.0, 0.0, 0.0, 1.0],
            ];
            let all = product(&product(&about_x, &about_y), &about_z);
            let point = black_box([1.0, 2.0, 3.0, 1.0]);
            black_box(all.map(|row| row.iter().zip(&point).map(|(a, b)| a * b).sum::<f64>()));
        }
    })
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = [[0.0; 4]; 4];
    for (row, out) in a.iter().zip(&mut c) {
        for (column, out) in out.iter_mut().enumerate() {
            *out = (0..4).map(|k| row[k] * b[k][column]).sum();
        }
    }
    c
}

/// Unknowns of a linear system.
const UNKNOWNS: usize = 100;

fn systems() -> Result<Op, Refusal> {
    // Diagonally dominant, with ones as its solution.
    let entry = |row: usize, column: usize| match row == column {
        true => UNKNOWNS as f64,
        false => ((row * 31 + column * 17) % 19) as f64 / 19.0,
    };
    let original: Vec<Vec<f64>> = (0..UNKNOWNS)
        .map(|row| {
            let mut line: Vec<f64> = (0..UNKNOWNS).map(|column| entry(row, column)).collect();
            line.push(line.iter().sum());
            line
        })
        .collect();
    let mut work = original.clone();
    job(1.0, move || {
        for _ in 0..20 {
            work.clone_from(&original);
            eliminate(&mut work);
            let fine = work.iter().all(|line| (line[UNKNOWNS] - 1.0).abs() < 1e-9);
            assert!(fine, "a linear system's solution is wrong");
        }
    })
}

/// Solves the system in place; the last column becomes the solution.
fn eliminate(lines: &mut [Vec<f64>]) {
    for pivot in 0..UNKNOWNS {
        let (above, rest) = lines.split_at_mut(pivot + 1);
        let source = &above[pivot];
        for line in rest {
            let factor = line[pivot] / source[pivot];
            for (to, from) in line[pivot..].iter_mut().zip(&source[pivot..]) {
                *to -= factor * from;
            }
        }
    }
    for pivot in (0..UNKNOWNS).rev() {
        let known: f64 = (pivot + 1..UNKNOWNS).map(|k| lines[pivot][k] * lines[k][UNKNOWNS]).sum();
        lines[pivot][UNKNOWNS] = (lines[pivot][UNKNOWNS] - known) / lines[pivot][pivot];
    }
}

fn series() -> Result<Op, Refusal> {
    job(1.0, || {
        for at in 0..100 {
            let x = black_box(f64::from(at) * 0.01);
            let (mut sum, mut term) = (1.0, 1.0);
            for n in 1..16 {
                term *= x / f64::from(n);
                sum += term;
            }
            black_box(sum);
        }
    })
}

const LIMIT: usize = 1_000_000;

fn sieves() -> Result<Op, Refusal> {
    let mut composite = vec![0u8; LIMIT];
    job(1.0, move || {
        for _ in 0..5 {
            composite.fill(0);
            let mut primes = 0;
            for number in 2..LIMIT {
                if composite[number] == 0 {
                    primes += 1;
                    composite.iter_mut().skip(number * number).step_by(number).for_each(|c| *c = 1);
                }
            }
            assert!(primes == 78_498, "{primes} primes below a million");
        }
    })
}
