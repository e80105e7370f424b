//! Marks around what is timed, for a counter outside the guest (crates/tare-plugin).
//!
//! A mark is one long NOP, `nopl 0x4d4bCCCC(%rax)`: it needs no privilege, traps on no layer, touches
//! nothing and costs what a NOP costs, and whoever translates the guest's code can see it. Numbers
//! are spelled in bits, lowest first, and ended by the name of what they are; that happens outside of
//! what is timed.

use std::ptr;
use std::sync::Once;
use tare_proto::mark as code;

/// Pages that [`learn`] touches: more than any interrupt that comes between could match.
const LEARNED_PAGES: usize = 16;

/// Here a benchmark's samples begin: what is counted from now on belongs to request `id`, and values
/// are divided by `per`.
pub fn series(id: u32, per: f64) {
    static FIRST: Once = Once::new();
    FIRST.call_once(learn);
    number::<{ code::PER }>(per.to_bits());
    number::<{ code::SERIES }>(id.into());
}

/// Here they end.
pub fn end_of_series() {
    number::<{ code::SERIES }>(0);
}

/// The next batch is of term `at`, whose costs count `sign`, and holds `ops` operations.
pub fn batch(at: usize, sign: f64, ops: u64) {
    number::<{ code::TERM }>((at as u64) << 1 | u64::from(sign < 0.0));
    number::<{ code::OPS }>(ops);
}

/// What was timed last, and had no operations told beforehand, held `ops`.
pub fn done(ops: u64) {
    number::<{ code::DONE }>(ops);
}

/// What is timed begins.
#[inline(always)]
pub fn begin() {
    nop::<{ code::BEGIN }>();
}

/// What is timed has ended.
#[inline(always)]
pub fn end() {
    nop::<{ code::END }>();
}

/// A kernel's module of this name has its code `at` this address; `outside`, where the layer is inside of this machine.
pub fn module(name: &str, at: u64, outside: bool) {
    number::<{ code::MODULE }>(code::named(name));
    if outside {
        number::<{ code::AT_OUTSIDE }>(at);
    } else {
        number::<{ code::AT }>(at);
    }
}

/// Touches fresh pages between two marks: shows the counter where page faults enter.
fn learn() {
    let page = 4096;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANON;
    // SAFETY: a fresh mapping of no file, at no wanted place.
    let pages = unsafe { libc::mmap(ptr::null_mut(), LEARNED_PAGES * page, access, kind, -1, 0) };
    if pages == libc::MAP_FAILED {
        return; // then faults have no name
    }
    nop::<{ code::LEARN }>();
    for at in 0..LEARNED_PAGES {
        // SAFETY: `at` is a page of the mapping.
        unsafe { pages.cast::<u8>().wrapping_add(at * page).write_volatile(1) };
    }
    nop::<{ code::LEARNED }>();
    // SAFETY: the mapping made above, which nothing refers to.
    unsafe { libc::munmap(pages, LEARNED_PAGES * page) };
}

/// Spells `value`, then says what it is.
fn number<const NAME: u16>(value: u64) {
    let mut rest = value;
    while rest != 0 {
        if rest & 1 == 0 {
            nop::<{ code::ZERO }>();
        } else {
            nop::<{ code::ONE }>();
        }
        rest >>= 1;
    }
    nop::<NAME>();
}

/// `nopl 0x4d4bCODE(%rax)`, as bytes: an assembler may choose another form.
#[inline(always)]
fn nop<const CODE: u16>() {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    // SAFETY: a NOP; without `nomem`, so that the compiler moves no memory access over it.
    unsafe {
        std::arch::asm!(
            ".byte 0x0f, 0x1f, 0x80, {low}, {high}, 0x4b, 0x4d",
            low = const (CODE & 0xff),
            high = const (CODE >> 8),
            options(nostack, preserves_flags),
        );
    }
}
