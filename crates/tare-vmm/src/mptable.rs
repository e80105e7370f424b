//! The table that tells a guest without ACPI of its interrupt controllers (Intel's MultiProcessor Specification 1.4):
//! one CPU, and the sixteen interrupts of a PC, each at its own input of the I/O controller.

use crate::fault::Fault;
use crate::memory::Memory;
use vm_memory::{Bytes, GuestAddress};

/// The last KiB of conventional memory, where kernels look for it.
pub const PLACE: u64 = 0x9_fc00;

/// Sizes of the pointer and of the table's head.
const POINTER: usize = 16;
const HEAD: usize = 44;

/// Addresses and versions of KVM's controllers.
const LOCAL: u32 = 0xfee0_0000;
const INPUTS: u32 = 0xfec0_0000;
const LOCAL_VERSION: u8 = 0x14;
const INPUTS_VERSION: u8 = 0x11;

/// The numbers of the CPU's controller and of the other one.
const CPU: u8 = 0;
const INPUTS_ID: u8 = 1;

/// Kinds of interrupts: by vector, NMI, of the older controllers.
const VECTORED: u8 = 0;
const NMI: u8 = 1;
const EXTERNAL: u8 = 3;

/// Everywhere, as a destination.
const ALL: u8 = 0xff;

/// Writes the pointer, and the table behind it.
pub fn write(memory: &Memory) -> Result<(), Fault> {
    let mut bytes = pointer(PLACE as u32 + POINTER as u32);
    bytes.extend(table());
    let written = memory.write_slice(&bytes, GuestAddress(PLACE));
    written.map_err(|e| Fault::Memory(format!("no room for the table of interrupts: {e}")))
}

fn pointer(table: u32) -> Vec<u8> {
    let mut pointer = b"_MP_".to_vec();
    pointer.extend(table.to_le_bytes());
    pointer.extend([1, 4, 0, 0, 0, 0, 0, 0]); // one unit of 16 bytes, version 1.4
    summed(pointer, 10)
}

fn table() -> Vec<u8> {
    // Enabled, and the one that boots; a Pentium Pro's signature, as kernels ask CPUID themselves.
    let mut cpu = vec![0, CPU, LOCAL_VERSION, 3];
    cpu.extend(0x600u32.to_le_bytes());
    cpu.resize(20, 0);
    let bus = b"\x01\x00ISA   ".to_vec();
    let mut inputs = vec![2, INPUTS_ID, INPUTS_VERSION, 1];
    inputs.extend(INPUTS.to_le_bytes());
    let interrupts = (0..16).map(|irq| vec![3, VECTORED, 0, 0, 0, irq, INPUTS_ID, irq]);
    let local = [(EXTERNAL, 0), (NMI, 1)].map(|(kind, pin)| vec![4, kind, 0, 0, 0, 0, ALL, pin]);
    let entries: Vec<Vec<u8>> =
        [cpu, bus, inputs].into_iter().chain(interrupts).chain(local).collect();
    let size = HEAD + entries.iter().map(Vec::len).sum::<usize>();
    let mut table = b"PCMP".to_vec();
    table.extend((size as u16).to_le_bytes());
    table.extend([4, 0]); // version 1.4, and the sum
    table.extend(b"TARE    TARE-VMM    ");
    table.extend([0; 6]); // no other table
    table.extend((entries.len() as u16).to_le_bytes());
    table.extend(LOCAL.to_le_bytes());
    table.extend([0; 4]);
    table.extend(entries.into_iter().flatten());
    summed(table, 7)
}

/// Sets the byte at `place` so that all add up to zero.
fn summed(mut bytes: Vec<u8>, place: usize) -> Vec<u8> {
    bytes[place] = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)).wrapping_neg();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_sizes_are_right() {
        let sum = |bytes: &[u8]| bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        let (pointer, table) = (pointer(0x9_fc10), table());
        assert_eq!((pointer.len(), sum(&pointer)), (POINTER, 0));
        assert_eq!(sum(&table), 0);
        assert_eq!(usize::from(u16::from_le_bytes([table[4], table[5]])), table.len());
        let entries = u16::from_le_bytes([table[34], table[35]]);
        assert_eq!(entries, 3 + 16 + 2);
        assert_eq!(table.len(), HEAD + 20 + 20 * 8);
        assert!(POINTER + table.len() <= 1024);
    }
}
