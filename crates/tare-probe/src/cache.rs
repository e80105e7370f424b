//! The size of the last-level cache, as the CPU reports it; the C library's answer is wrong by a factor on some CPUs.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the host has told; 0 when nothing.
static TOLD: AtomicU64 = AtomicU64::new(0);

/// Bytes of the last-level cache: what the host has told, so that sizes are the same on every layer, else what is found.
pub fn last_level() -> u64 {
    match TOLD.load(Ordering::Relaxed) {
        0 => found(),
        told => told,
    }
}

/// The host's word for the next benchmark; 0 takes it back.
pub fn tell(bytes: u64) {
    TOLD.store(bytes, Ordering::Relaxed);
}

/// What the CPU says (a hypervisor may override CPUID), else the kernel, else 32 MiB.
pub fn found() -> u64 {
    by_cpu().or_else(by_kernel).unwrap_or(32 << 20)
}

/// The largest cache of leaf 4 (Intel) or 0x8000001d (AMD), which have one format.
#[cfg(target_arch = "x86_64")]
fn by_cpu() -> Option<u64> {
    use std::arch::x86_64::__cpuid_count;
    #[allow(unused_unsafe)] // it is a safe function in newer compilers
    let ask = |leaf: u32, at: u32| {
        // SAFETY: every x86-64 CPU has the instruction.
        unsafe { __cpuid_count(leaf, at) }
    };
    let size = |leaf: u32, at: u32| {
        let told = ask(leaf, at);
        let field =
            |word: u32, from: u32, bits: u32| u64::from(word >> from & ((1 << bits) - 1)) + 1;
        let line = field(told.ebx, 0, 12) * field(told.ebx, 12, 10) * field(told.ebx, 22, 10);
        (told.eax & 31 != 0).then(|| line * (u64::from(told.ecx) + 1))
    };
    let caches = |leaf: u32| (0..8).map_while(move |at| size(leaf, at)).max();
    let intel = (ask(0, 0).eax >= 4).then(|| caches(4)).flatten();
    let amd = || (ask(0x8000_0000, 0).eax >= 0x8000_001d).then(|| caches(0x8000_001d)).flatten();
    intel.or_else(amd)
}

#[cfg(not(target_arch = "x86_64"))]
fn by_cpu() -> Option<u64> {
    None
}

/// The largest cache of CPU 0.
fn by_kernel() -> Option<u64> {
    let size = |at: u32| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{at}/size");
        let text = fs::read_to_string(path).ok()?;
        text.trim().strip_suffix('K')?.parse::<u64>().ok().map(|kib| kib << 10)
    };
    (0..8).map_while(size).max()
}
