//! What user code does between its calls. One figure stands for all programs, which is right where a layer runs user code on
//! the processor itself, and wrong where it translates it.

use super::row;
use crate::bench::{Bench, Op, Refusal};
use std::hint::black_box;

pub const ROWS: &[Bench] = &[row(
    "operations/compute",
    "10,000 dependent steps of integer work, each with a look into a table of 256 KiB",
    prepare,
)];

const ENTRIES: usize = 64 << 10;
const STEPS: u32 = 10_000;

fn prepare() -> Result<Op, Refusal> {
    let mut table: Vec<u32> = (0..ENTRIES as u32).collect();
    let mut state = 2_463_534_242_u32;
    Ok(Op::new(move || {
        for _ in 0..black_box(STEPS) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let entry = &mut table[state as usize % ENTRIES];
            // A branch that no predictor knows, as user code has now and then.
            *entry = if *entry & 1 == 0 { entry.wrapping_add(state) } else { entry.rotate_left(7) };
            state = state.wrapping_add(*entry) | 1;
        }
        black_box(&table);
    }))
}
