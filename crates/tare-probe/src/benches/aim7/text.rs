//! Strings, sorting, and what else programs do to words and numbers.

use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use std::hint::black_box;
use std::io::Write;

pub const ROWS: &[Bench] = &[
    test(
        "aim7/string_rtns",
        "100 times: copy, append, compare, search and reverse a text of 16 KiB",
        strings,
    ),
    test("aim7/sort_rtns_1", "10 sorts of 10,000 numbers", sorts),
    test(
        "aim7/misc_rtns_1",
        "10 times: 1,000 random numbers to text, classified and back",
        auxiliary,
    ),
];

const TEXT: usize = 16 << 10;

fn strings() -> Result<Op, Refusal> {
    let text: Vec<u8> = (0..TEXT).map(|at| b"the quick brown fox jumps "[at % 26]).collect();
    let mut copy = Vec::with_capacity(2 * TEXT);
    job(3.0, move || {
        for _ in 0..100 {
            copy.clear();
            copy.extend_from_slice(black_box(&text));
            copy.extend_from_slice(b" lazy dog");
            assert!(copy.starts_with(&text), "a copy differs");
            let found = copy.windows(8).position(|word| word == b"lazy dog");
            assert!(found == Some(TEXT + 1), "a search went wrong");
            copy.reverse();
            black_box(copy.iter().filter(|letter| **letter == b'o').count());
        }
    })
}

/// The next of a fixed sequence of numbers that look random.
pub fn next(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

fn sorts() -> Result<Op, Refusal> {
    let mut state = 2_463_534_242;
    let numbers: Vec<u32> = (0..10_000).map(|_| next(&mut state)).collect();
    let mut work = numbers.clone();
    job(1.0, move || {
        for _ in 0..10 {
            work.copy_from_slice(black_box(&numbers));
            work.sort_unstable();
            black_box(&work);
        }
    })
}

fn auxiliary() -> Result<Op, Refusal> {
    job(1.0, || {
        for seed in 1..=10 {
            let mut state = black_box(seed);
            for _ in 0..1000 {
                let number = next(&mut state);
                let mut word = [0u8; 10];
                let mut rest = &mut word[..];
                write!(rest, "{number}").expect("ten digits have room");
                let left = rest.len();
                let word = &word[..10 - left];
                let digits = word.iter().filter(|letter| letter.is_ascii_digit());
                let back = digits.fold(0u32, |sum, d| sum.wrapping_mul(10) + u32::from(d - b'0'));
                assert!(back == number, "{number} came back as {back}");
            }
        }
    })
}
