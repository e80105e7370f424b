//! Marks around what is timed, for a counter outside the guest (crates/tare-plugin).
//!
//! A mark is one long NOP, `nopl 0x4d4bCCCC(%rax)`: it needs no privilege, traps on no layer, touches
//! nothing and costs what a NOP costs, and whoever translates the guest's code can see it. Numbers
//! are spelled in bits, lowest first, and ended by the name of what they are; that happens outside of
//! what is timed. The codes are the plugin's too: change both.

use std::ptr;
use std::sync::Once;

/// Pages that [`learn`] touches: more than any interrupt that comes between could match.
const LEARNED_PAGES: usize = 16;

/// Here a benchmark's samples begin: what is counted from now on belongs to request `id`, and values
/// are divided by `per`.
pub fn series(id: u32, per: f64) {
    static FIRST: Once = Once::new();
    FIRST.call_once(learn);
    number::<0x0101>(per.to_bits());
    number::<0x0100>(id.into());
}

/// Here they end.
pub fn end_of_series() {
    number::<0x0100>(0);
}

/// The next batch is of term `at`, whose costs count `sign`, and holds `ops` operations.
pub fn batch(at: usize, sign: f64, ops: u64) {
    number::<0x0102>((at as u64) << 1 | u64::from(sign < 0.0));
    number::<0x0103>(ops);
}

/// What was timed last, and had no operations told beforehand, held `ops`.
pub fn done(ops: u64) {
    number::<0x0104>(ops);
}

/// What is timed begins.
#[inline(always)]
pub fn begin() {
    nop::<0x0200>();
}

/// What is timed has ended.
#[inline(always)]
pub fn end() {
    nop::<0x0201>();
}

/// Touches fresh pages between two marks: shows the counter where page faults enter.
fn learn() {
    let page = 4096;
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
    // SAFETY: a fresh mapping of no file, at no wanted place.
    let pages = unsafe { libc::mmap(ptr::null_mut(), LEARNED_PAGES * page, access, kind, -1, 0) };
    if pages == libc::MAP_FAILED {
        return; // then faults have no name
    }
    nop::<0x0300>();
    for at in 0..LEARNED_PAGES {
        // SAFETY: `at` is a page of the mapping.
        unsafe { pages.cast::<u8>().wrapping_add(at * page).write_volatile(1) };
    }
    nop::<0x0301>();
    // SAFETY: the mapping made above, which nothing refers to.
    unsafe { libc::munmap(pages, LEARNED_PAGES * page) };
}

/// Spells `value`, then says what it is.
fn number<const NAME: u16>(value: u64) {
    let mut rest = value;
    while rest != 0 {
        if rest & 1 == 0 {
            nop::<0x0000>();
        } else {
            nop::<0x0001>();
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
