//! Memory: the program break, pages, the allocator, and copies of blocks.

use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use crate::sys::{must, page_size};
use std::hint::black_box;

pub const ROWS: &[Bench] = &[
    test("aim7/mem_rtns_1", "30,000 calls of malloc, realloc and free, 16 B to 4 KiB", allocations),
    test("aim7/mem_rtns_2", "100 block operations: copy, fill, move and compare 4 KiB", blocks),
    test("aim7/ram_copy", "25,020 bytes copied from memory to memory", copy),
    test(
        "aim7/page_test",
        "1,700 pages added with sbrk(2), each written to, 17 at a time given back",
        pages,
    ),
    test("aim7/brk_test", "17,000 calls of sbrk(2): 16 a page up, one back down", breaks),
];

fn allocations() -> Result<Op, Refusal> {
    job(1.0, || {
        for at in 0..10_000 {
            let size = 16 << (at % 8);
            // SAFETY: malloc has no preconditions.
            let block = unsafe { libc::malloc(size) };
            // SAFETY: the block is malloc's, and is not used under its old name again.
            let block = unsafe { libc::realloc(block, 2 * size) };
            must("realloc", !block.is_null());
            // SAFETY: the block is realloc's, and nobody uses it again.
            unsafe { libc::free(black_box(block)) };
        }
    })
}

fn blocks() -> Result<Op, Refusal> {
    let (mut a, mut b) = (vec![1u8; 8192], vec![2u8; 4096]);
    job(1.0, move || {
        for round in 0..25 {
            b.copy_from_slice(&black_box(&a)[..4096]);
            b.fill(round);
            black_box(&mut a).copy_within(..4096, 2048);
            black_box(black_box(&a[..4096]) == black_box(&b[..]));
        }
    })
}

fn copy() -> Result<Op, Refusal> {
    let (from, mut to) = (vec![1u8; 25_020], vec![0u8; 25_020]);
    job(1.0, move || {
        to.copy_from_slice(black_box(&from));
        black_box(&to);
    })
}

/// Refuses where the C library moves no program break.
fn has_break() -> Result<(), Refusal> {
    if cfg!(target_env = "musl") {
        return Err(Refusal::Unavailable(
            "musl, which this probe is built with, has no sbrk(3)".into(),
        ));
    }
    Ok(())
}

/// Moves the program break; the place where it was. No allocation may come between a move up and the
/// one back: the allocator has its own blocks below.
fn grow(by: isize) -> *mut u8 {
    // SAFETY: the callers use no more than they add, and give back no more than they added.
    let was = unsafe { libc::sbrk(by) };
    must("sbrk", was as isize != -1);
    was.cast()
}

fn pages() -> Result<Op, Refusal> {
    has_break()?;
    let page = page_size() as isize;
    job(1.0, move || {
        for _ in 0..100 {
            for _ in 0..17 {
                // SAFETY: the page has just been added, and nobody else knows it.
                unsafe { grow(page).write_volatile(1) };
            }
            grow(-17 * page);
        }
    })
}

fn breaks() -> Result<Op, Refusal> {
    has_break()?;
    let page = page_size() as isize;
    job(1.0, move || {
        for _ in 0..1000 {
            for _ in 0..16 {
                grow(page);
            }
            grow(-16 * page);
        }
    })
}
