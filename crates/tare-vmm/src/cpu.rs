//! The virtual CPU in the state that firmware would leave: its CPUID, and 32-bit mode without paging.

use crate::boot::Entry;
use crate::fault::{Fault, refused};
use crate::memory::Memory;
use kvm_bindings::{
    KVM_MAX_CPUID_ENTRIES, Msrs, kvm_cpuid_entry2, kvm_msr_entry, kvm_regs, kvm_segment,
};
use kvm_ioctls::{Cap, Kvm, VcpuFd};
use std::arch::x86_64::__cpuid;
use vm_memory::{Bytes, GuestAddress};

/// Where the table of segments is, and its entries: none, none, code, data, task.
const TABLE: u64 = 0x500;
const SEGMENTS: [u64; 5] =
    [0, 0, 0x00cf_9b00_0000_ffff, 0x00cf_9300_0000_ffff, 0x0000_8b00_0000_0067];

/// CR0 with protection and no paging (PE, ET).
const PROTECTED: u64 = 0x11;

/// Bits of CPUID's leaf 1: hyper-threading in EDX; the local timer's deadline mode and "a hypervisor is here", without
/// which kernels do not look for KVM's clock, in ECX. KVM leaves the latter two to the monitor.
const HTT: u32 = 1 << 28;
const DEADLINE: u32 = 1 << 24;
const HYPERVISOR: u32 = 1 << 31;

/// CPUID's leaves with the processor's name, which KVM leaves out.
const NAME: std::ops::RangeInclusive<u32> = 0x8000_0002..=0x8000_0004;

/// Model-specific registers that firmware sets and kernels read: without fast strings the Intel kernel uses no `rep`,
/// without a default memory type (enabled, write-back) none uses PAT.
const MISC_ENABLE: u32 = 0x1a0;
const FAST_STRINGS: u64 = 1;
const DEFAULT_TYPE: u32 = 0x2ff;
const WRITE_BACK: u64 = 1 << 11 | 6;

/// Offsets in the local interrupt controller: LINT0 takes the older controller's interrupts, LINT1 the NMI.
const LINT: [(usize, u32); 2] = [(0x350, 0x700), (0x360, 0x400)];

pub fn prepare(kvm: &Kvm, cpu: &VcpuFd, memory: &Memory, entry: Entry) -> Result<(), Fault> {
    let supported = kvm.get_supported_cpuid(KVM_MAX_CPUID_ENTRIES);
    let mut identity = supported.map_err(refused("KVM_GET_SUPPORTED_CPUID"))?;
    let deadline = kvm.check_extension(Cap::TscDeadlineTimer);
    alone(identity.as_mut_slice(), deadline);
    cpu.set_cpuid2(&identity).map_err(refused("KVM_SET_CPUID2"))?;
    set_registers(cpu)?;
    set_interrupts(cpu)?;
    let table = memory.write_obj(SEGMENTS, GuestAddress(TABLE));
    table.map_err(|e| Fault::Memory(format!("no room for the segments: {e}")))?;
    set_mode(cpu)?;
    let start = kvm_regs {
        rip: entry.at,
        rbx: entry.ebx,
        rsi: entry.esi,
        rflags: 2, // the bit that is always set
        ..Default::default()
    };
    cpu.set_regs(&start).map_err(refused("KVM_SET_REGS"))
}

/// Makes one CPU of what KVM says of the host's; everything else stays as it is.
fn alone(leaves: &mut [kvm_cpuid_entry2], deadline: bool) {
    for leaf in leaves {
        match leaf.function {
            1 => {
                leaf.ebx = leaf.ebx & 0xffff | 1 << 16; // number 0, one in the package
                leaf.edx &= !HTT;
                leaf.ecx = leaf.ecx & !DEADLINE | HYPERVISOR | if deadline { DEADLINE } else { 0 };
            }
            4 | 0x8000_001d => leaf.eax &= 0x3fff, // who shares a cache
            0xb | 0x1f => (leaf.eax, leaf.ebx, leaf.ecx, leaf.edx) = (0, 0, leaf.index, 0),
            0x8000_0008 => leaf.ecx = 0, // cores in the package, less one
            0x8000_001e => (leaf.eax, leaf.ebx, leaf.ecx) = (0, 0, 0),
            function if NAME.contains(&function) => {
                #[allow(unused_unsafe)] // safe since Rust 1.93
                // SAFETY: every 64-bit processor has the instruction.
                let own = unsafe { __cpuid(function) };
                (leaf.eax, leaf.ebx, leaf.ecx, leaf.edx) = (own.eax, own.ebx, own.ecx, own.edx);
            }
            _ => {}
        }
    }
}

fn set_registers(cpu: &VcpuFd) -> Result<(), Fault> {
    let entry = |index, data| kvm_msr_entry { index, data, ..Default::default() };
    let fault = |_| Fault::Exit("too many registers".into());
    let mut asked = Msrs::from_entries(&[entry(MISC_ENABLE, 0)]).map_err(fault)?;
    cpu.get_msrs(&mut asked).map_err(refused("KVM_GET_MSRS"))?;
    let now = asked.as_slice().first().map_or(0, |found| found.data);
    let wanted = [entry(MISC_ENABLE, now | FAST_STRINGS), entry(DEFAULT_TYPE, WRITE_BACK)];
    let wanted = Msrs::from_entries(&wanted).map_err(fault)?;
    cpu.set_msrs(&wanted).map(drop).map_err(refused("KVM_SET_MSRS"))
}

fn set_interrupts(cpu: &VcpuFd) -> Result<(), Fault> {
    let mut state = cpu.get_lapic().map_err(refused("KVM_GET_LAPIC"))?;
    for (offset, value) in LINT {
        let places = state.regs[offset..offset + 4].iter_mut();
        places.zip(value.to_le_bytes()).for_each(|(place, byte)| *place = byte as i8);
    }
    cpu.set_lapic(&state).map_err(refused("KVM_SET_LAPIC"))
}

/// 32-bit mode with flat segments, as both boot protocols ask for.
fn set_mode(cpu: &VcpuFd) -> Result<(), Fault> {
    let mut mode = cpu.get_sregs().map_err(refused("KVM_GET_SREGS"))?;
    mode.cs = flat(2, 0xb);
    let data = flat(3, 0x3);
    (mode.ds, mode.es, mode.fs, mode.gs, mode.ss) = (data, data, data, data, data);
    mode.tr = kvm_segment { limit: 0x67, s: 0, db: 0, g: 0, ..flat(4, 0xb) };
    (mode.gdt.base, mode.gdt.limit) = (TABLE, size_of_val(&SEGMENTS) as u16 - 1);
    (mode.idt.base, mode.idt.limit) = (0, 0);
    (mode.cr0, mode.cr4, mode.efer) = (PROTECTED, 0, 0);
    cpu.set_sregs(&mode).map_err(refused("KVM_SET_SREGS"))
}

/// The segment at `number` in the table, over all of 4 GiB.
fn flat(number: u16, kind: u8) -> kvm_segment {
    kvm_segment {
        selector: number * 8,
        limit: u32::MAX,
        type_: kind,
        present: 1,
        s: 1,
        db: 1,
        g: 1,
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guest_sees_one_cpu_and_every_feature() {
        let leaf = |function, ebx, ecx, edx| kvm_cpuid_entry2 {
            function,
            eax: 0xffff_ffff,
            ebx,
            ecx,
            edx,
            ..Default::default()
        };
        let mut leaves =
            [leaf(1, 0x0710_0800, 1, HTT | 1), leaf(7, 9, 9, 9), leaf(0x8000_0008, 1, 63, 1)];
        alone(&mut leaves, true);
        assert_eq!((leaves[0].ebx, leaves[0].edx), (0x0001_0800, 1));
        assert_eq!(leaves[0].ecx, 1 | HYPERVISOR | DEADLINE);
        assert_eq!((leaves[1].ebx, leaves[1].ecx, leaves[1].edx), (9, 9, 9));
        assert_eq!(leaves[2].ecx, 0);
    }
}
