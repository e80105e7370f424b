//! The codes of the marks that the probe sets around what it times, for a counter outside of the guest: each is in one long NOP.
//! A number is spelled in bits, lowest first, and ended by the code that says what it is for.

/// A bit of a number that is 0.
pub const ZERO: u16 = 0x0000;
/// A bit of a number that is 1.
pub const ONE: u16 = 0x0001;
/// The request whose samples begin, or with 0, end.
pub const SERIES: u16 = 0x0100;
/// What a sample is divided by beside its operations: the bits of an `f64`.
pub const PER: u16 = 0x0101;
/// The next batch's term, twice, and one more where it is subtracted.
pub const TERM: u16 = 0x0102;
/// The next batch's operations.
pub const OPS: u16 = 0x0103;
/// The operations of the batch that has ended.
pub const DONE: u16 = 0x0104;
/// A batch begins.
pub const BEGIN: u16 = 0x0200;
/// A batch ends.
pub const END: u16 = 0x0201;
/// Fresh pages are touched from here on: shows where page faults enter.
pub const LEARN: u16 = 0x0300;
/// They have been touched.
pub const LEARNED: u16 = 0x0301;
/// The name of a module that a kernel has loaded, as [`named`] has it.
pub const MODULE: u16 = 0x0400;
/// Where the code of that module begins, in the measured kernel.
pub const AT: u16 = 0x0401;
/// The same in the kernel of a machine inside which the layer runs.
pub const AT_OUTSIDE: u16 = 0x0402;

/// A name as a number: its FNV-1a hash.
#[must_use]
pub fn named(name: &str) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, add)
}
