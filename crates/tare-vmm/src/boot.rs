//! Puts a kernel, its arguments and its initramfs into the guest's memory: by the PVH protocol (an ELF image) or by the
//! x86 boot protocol of the kernel's documentation (a bzImage). Both enter in 32-bit mode without paging.

use crate::args::Args;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::mptable;
use linux_loader::cmdline::Cmdline;
use linux_loader::configurator::linux::LinuxBootConfigurator;
use linux_loader::configurator::pvh::PvhBootConfigurator;
use linux_loader::configurator::{BootConfigurator, BootParams};
use linux_loader::loader::bootparam::{boot_e820_entry, boot_params, setup_header};
use linux_loader::loader::elf::PvhBootCapability;
use linux_loader::loader::elf::start_info::{
    hvm_memmap_table_entry, hvm_modlist_entry, hvm_start_info,
};
use linux_loader::loader::{BzImage, Elf, KernelLoader, load_cmdline};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use vm_memory::{Bytes, GuestAddress, GuestMemoryBackend, GuestMemoryRegion};

/// Where things are put below 1 MiB.
const START: GuestAddress = GuestAddress(0x6000);
const MODULES: GuestAddress = GuestAddress(0x6800);
const MAP: GuestAddress = GuestAddress(0x7000);
const ARGUMENTS: GuestAddress = GuestAddress(0x2_0000);

/// Where kernels may begin.
const HIGH: u64 = 0x10_0000;

/// Where an initramfs must end for kernels that do not say.
const INITRD_END: u64 = 0x3800_0000;

/// Memory in the tables of both protocols.
const RAM: u32 = 1;

/// Of the PVH protocol (Xen's public/arch-x86/hvm/start_info.h).
const PVH_MAGIC: u32 = 0x336e_c578;
const PVH_VERSION: u32 = 1;

/// The loader's kind for one that has no number of its own.
const LOADER: u8 = 0xff;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    pub at: u64,
    /// EBX: PVH's start info.
    pub ebx: u64,
    /// ESI: the boot parameters.
    pub esi: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ramdisk {
    at: u64,
    size: u64,
}

/// Loads everything that `args` names.
pub fn load(args: &Args, memory: &Memory) -> Result<Entry, Fault> {
    let path = &args.kernel;
    let fault = |why: String| Fault::Kernel(path.clone(), why);
    let mut file = File::open(path).map_err(|e| Fault::File(path.clone(), e))?;
    let mut line = Cmdline::new(args.append.len() + 1).map_err(|e| fault(e.to_string()))?;
    line.insert_str(&args.append).map_err(|e| fault(e.to_string()))?;
    load_cmdline(memory, ARGUMENTS, &line).map_err(|e| fault(e.to_string()))?;
    match is_elf(&mut file).map_err(|e| Fault::File(path.clone(), e))? {
        true => load_elf(args, memory, &mut file, fault),
        false => load_packed(args, memory, &mut file, fault),
    }
}

/// Whether the file, which is read from its start again after this, is an ELF image.
fn is_elf(file: &mut File) -> io::Result<bool> {
    let mut magic = Vec::new();
    file.take(4).read_to_end(&mut magic)?;
    file.rewind()?;
    Ok(magic == b"\x7fELF")
}

fn load_elf(
    args: &Args,
    memory: &Memory,
    file: &mut File,
    fault: impl Fn(String) -> Fault,
) -> Result<Entry, Fault> {
    let high = Some(GuestAddress(HIGH));
    let image = Elf::load(memory, None, file, high).map_err(|e| fault(e.to_string()))?;
    let PvhBootCapability::PvhEntryPresent(entry) = image.pvh_boot_cap else {
        return Err(fault("an ELF image without a PVH entry".into()));
    };
    let ramdisk = ramdisk(args.initrd.as_deref(), memory, image.kernel_end, INITRD_END)?;
    write_pvh(memory, ramdisk).map_err(fault)?;
    Ok(Entry { at: entry.0, ebx: START.0, esi: 0 })
}

fn load_packed(
    args: &Args,
    memory: &Memory,
    file: &mut File,
    fault: impl Fn(String) -> Fault,
) -> Result<Entry, Fault> {
    let high = Some(GuestAddress(HIGH));
    let image = BzImage::load(memory, None, file, high).map_err(|e| fault(e.to_string()))?;
    let header = image.setup_header.ok_or_else(|| fault("a bzImage without its header".into()))?;
    let unpacked_end = header.pref_address.saturating_add(header.init_size.into());
    let kernel_end = image.kernel_end.max(unpacked_end);
    let end = match header.initrd_addr_max {
        0 => INITRD_END,
        end => u64::from(end),
    };
    let ramdisk = ramdisk(args.initrd.as_deref(), memory, kernel_end, end)?;
    write_linux(memory, header, ramdisk).map_err(fault)?;
    Ok(Entry { at: image.kernel_load.0, ebx: 0, esi: START.0 })
}

/// Loads the initramfs as high as it may be, above `kernel_end`.
fn ramdisk(
    path: Option<&Path>,
    memory: &Memory,
    kernel_end: u64,
    end: u64,
) -> Result<Ramdisk, Fault> {
    let Some(path) = path else { return Ok(Ramdisk::default()) };
    let file = |e| Fault::File(path.to_owned(), e);
    let mut opened = File::open(path).map_err(file)?;
    let size = opened.metadata().map_err(file)?.len();
    let low = memory.iter().next().map_or(0, |region| region.len());
    let at = low.min(end).checked_sub(size).map(|at| at & !0xfff).filter(|at| *at >= kernel_end);
    let at = at.ok_or_else(|| {
        Fault::Memory(format!("{} of {size} bytes does not fit beside the kernel", path.display()))
    })?;
    let read = memory.read_exact_volatile_from(GuestAddress(at), &mut opened, size as usize);
    read.map_err(|e| Fault::File(path.to_owned(), std::io::Error::other(e)))?;
    Ok(Ramdisk { at, size })
}

/// First address and size of what the kernel may use.
fn usable(memory: &Memory) -> Vec<(u64, u64)> {
    let regions = memory.iter().map(|region| (region.start_addr().0, region.len()));
    let split = |(start, size)| match start {
        0 => vec![(0, mptable::PLACE), (HIGH, size - HIGH)],
        _ => vec![(start, size)],
    };
    regions.flat_map(split).collect()
}

fn write_pvh(memory: &Memory, ramdisk: Ramdisk) -> Result<(), String> {
    let entry = |(addr, size)| hvm_memmap_table_entry { addr, size, type_: RAM, reserved: 0 };
    let map: Vec<_> = usable(memory).into_iter().map(entry).collect();
    let modules =
        [hvm_modlist_entry { paddr: ramdisk.at, size: ramdisk.size, ..Default::default() }];
    let modules = &modules[..usize::from(ramdisk.size > 0)];
    let start = hvm_start_info {
        magic: PVH_MAGIC,
        version: PVH_VERSION,
        nr_modules: modules.len() as u32,
        modlist_paddr: MODULES.0,
        cmdline_paddr: ARGUMENTS.0,
        memmap_paddr: MAP.0,
        memmap_entries: map.len() as u32,
        ..Default::default()
    };
    let mut parameters = BootParams::new(&start, START);
    parameters.set_sections(&map, MAP);
    parameters.set_modules(modules, MODULES);
    PvhBootConfigurator::write_bootparams(&parameters, memory).map_err(|e| e.to_string())
}

fn write_linux(memory: &Memory, header: setup_header, ramdisk: Ramdisk) -> Result<(), String> {
    let mut zero = boot_params { hdr: header, ..Default::default() };
    zero.hdr.type_of_loader = LOADER;
    zero.hdr.cmd_line_ptr = ARGUMENTS.0 as u32;
    zero.hdr.ramdisk_image = ramdisk.at as u32;
    zero.hdr.ramdisk_size = ramdisk.size as u32;
    let map = usable(memory);
    zero.e820_entries = map.len() as u8;
    for (place, (addr, size)) in zero.e820_table.iter_mut().zip(map) {
        *place = boot_e820_entry { addr, size, r#type: RAM };
    }
    let parameters = BootParams::new(&zero, START);
    LinuxBootConfigurator::write_bootparams(&parameters, memory).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory;
    use std::fs;

    /// What comes of `kernel` as a file, with an initramfs of `initrd` bytes.
    fn loaded(kernel: &[u8], initrd: usize) -> (Memory, Result<Entry, String>) {
        let folder = tempfile::tempdir().unwrap();
        let [path, ramdisk] = ["kernel", "initrd"].map(|name| folder.path().join(name));
        fs::write(&path, kernel).unwrap();
        fs::write(&ramdisk, vec![7; initrd]).unwrap();
        let append = "quiet".to_owned();
        let args = Args { kernel: path, initrd: Some(ramdisk), append, memory: 64 };
        let memory = memory::make(args.memory).unwrap();
        let entry = load(&args, &memory).map_err(|fault| fault.to_string());
        (memory, entry)
    }

    /// The least that is a bzImage: a header of version 2.15 and one page of code.
    fn packed() -> Vec<u8> {
        let mut image = vec![0; 1024];
        image[0x1f1] = 1;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x206..0x208].copy_from_slice(&0x020f_u16.to_le_bytes());
        image[0x211] = 1; // loaded high
        image[0x214..0x218].copy_from_slice(&0x10_0000_u32.to_le_bytes());
        image.extend([0xf4; 4096]);
        image
    }

    #[test]
    fn a_packed_kernel_is_told_where_everything_is() {
        let (memory, entry) = loaded(&packed(), 5000);
        assert_eq!(entry.unwrap(), Entry { at: HIGH, ebx: 0, esi: START.0 });
        let zero: boot_params = memory.read_obj(START).unwrap();
        let (at, size) = (zero.hdr.ramdisk_image, zero.hdr.ramdisk_size);
        assert_eq!((at, size), ((64 << 20) - 0x2000, 5000));
        assert_eq!(memory.read_obj::<u8>(GuestAddress(at.into())).unwrap(), 7);
        assert_eq!(zero.e820_entries, 2);
        let mut line = [0; 6];
        memory.read_slice(&mut line, GuestAddress(zero.hdr.cmd_line_ptr.into())).unwrap();
        assert_eq!(&line, b"quiet\0");
    }

    #[test]
    fn pvh_is_told_the_same() {
        let memory = memory::make(64).unwrap();
        write_pvh(&memory, Ramdisk { at: 0x200_0000, size: 9 }).unwrap();
        let start: hvm_start_info = memory.read_obj(START).unwrap();
        assert_eq!((start.magic, start.nr_modules, start.memmap_entries), (PVH_MAGIC, 1, 2));
        let high = GuestAddress(start.memmap_paddr + 24);
        let map: hvm_memmap_table_entry = memory.read_obj(high).unwrap();
        assert_eq!((map.addr, map.size, map.type_), (HIGH, 63 << 20, RAM));
    }

    #[test]
    fn what_cannot_start_is_named() {
        let refused = |kernel: &[u8], initrd| loaded(kernel, initrd).1.unwrap_err();
        assert!(refused(b"", 1).contains("/kernel: "));
        assert!(refused(b"#!/bin/sh\n", 1).contains("give a bzImage"));
        assert!(refused(b"\x7fELF\x02\x01\x01", 1).contains("give a bzImage"));
        assert!(refused(&packed()[..600], 1).contains("/kernel: "));
        assert!(refused(&packed(), 64 << 20).contains("does not fit beside the kernel"));
    }
}
