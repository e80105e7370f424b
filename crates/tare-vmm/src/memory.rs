//! The guest's memory: from address 0, with a hole below 4 GiB for the interrupt controllers.

use crate::fault::{Fault, refused};
use kvm_bindings::kvm_userspace_memory_region;
use kvm_ioctls::VmFd;
use std::io;
use vm_memory::mmap::MmapRegionBuilder;
use vm_memory::{GuestAddress, GuestMemoryBackend, GuestMemoryMmap, GuestMemoryRegion};
use vm_memory::{GuestRegionMmap, MmapRegion};

/// Memory as the crates of rust-vmm know it, with no bitmap of dirty pages.
pub type Memory = GuestMemoryMmap<()>;

/// Where the hole begins and ends: KVM's interrupt controllers are in its last 20 MiB.
const HOLE: (u64, u64) = (0xc000_0000, 1 << 32);

/// The size of a huge page: KVM maps the guest's memory with them where both sides are aligned to it.
const HUGE: usize = 2 << 20;

/// Makes `mebibytes` of memory. Pages come when the guest touches them first.
pub fn make(mebibytes: u64) -> Result<Memory, Fault> {
    let fault = |why: String| Fault::Memory(format!("no {mebibytes} MiB for the guest: {why}"));
    let regions = ranges(mebibytes << 20).into_iter().map(|(start, size)| {
        let region = map(size as usize).map_err(|e| e.to_string())?;
        GuestRegionMmap::new(region, GuestAddress(start)).ok_or("its end is out of reach".into())
    });
    let regions = regions.collect::<Result<Vec<_>, String>>().map_err(fault)?;
    Memory::from_regions(regions).map_err(|e| fault(e.to_string()))
}

/// First address and size of each part.
fn ranges(size: u64) -> Vec<(u64, u64)> {
    let low = size.min(HOLE.0);
    let high = size - low;
    [(0, low), (HOLE.1, high)].into_iter().filter(|(_, size)| *size > 0).collect()
}

/// Private memory at an address that huge pages can be at. It is never unmapped: the guest lives as long as the process.
fn map(size: usize) -> io::Result<MmapRegion> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing that exists.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), size + HUGE, access, flags, -1, 0) };
    if place == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let aligned = place.wrapping_add(place.align_offset(HUGE));
    // SAFETY: the range lies within the mapping; a kernel without huge pages refuses, which is no harm.
    unsafe { libc::madvise(aligned, size, libc::MADV_HUGEPAGE) };
    let builder = MmapRegionBuilder::new(size).with_mmap_prot(access).with_mmap_flags(flags);
    // SAFETY: the range was mapped above with this access, and nothing else uses it or unmaps it.
    let builder = unsafe { builder.with_raw_mmap_pointer(aligned.cast()) };
    builder.build().map_err(io::Error::other)
}

pub fn give(machine: &VmFd, memory: &Memory) -> Result<(), Fault> {
    for (slot, region) in memory.iter().enumerate() {
        let part = kvm_userspace_memory_region {
            slot: slot as u32,
            flags: 0,
            guest_phys_addr: region.start_addr().0,
            memory_size: region.len(),
            userspace_addr: region.as_ptr() as u64,
        };
        // SAFETY: the range is mapped for the life of the process.
        let given = unsafe { machine.set_user_memory_region(part) };
        given.map_err(refused("KVM_SET_USER_MEMORY_REGION"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vm_memory::Bytes;

    #[test]
    fn memory_goes_around_the_hole() {
        assert_eq!(ranges(512 << 20), [(0, 512 << 20)]);
        assert_eq!(ranges(4 << 30), [(0, 3 << 30), (4 << 30, 1 << 30)]);
    }

    #[test]
    fn memory_is_aligned_and_zero() {
        let memory = make(64).unwrap();
        let region = memory.iter().next().unwrap();
        assert_eq!(region.as_ptr().align_offset(HUGE), 0);
        let last: u64 = memory.read_obj(GuestAddress((64 << 20) - 8)).unwrap();
        assert_eq!(last, 0);
        assert!(memory.read_obj::<u8>(GuestAddress(64 << 20)).is_err());
    }
}
