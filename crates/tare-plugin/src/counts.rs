//! The counters: one array, so that a region is the difference of two copies of it.

use crate::hypercall;
use crate::place::{PLACES, Place};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A counter, which translated code adds to as well.
pub type Counter = AtomicU64;

/// What is counted in every place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Kind {
    Instructions,
    /// Loads and stores.
    Accesses,
    /// System call instructions, executed in user code.
    Syscalls,
    /// Entries by a page fault into this place.
    PageFaults,
    /// Entries by other exceptions and by interrupts.
    OtherEntries,
    /// `vmcall` and `vmmcall`.
    VmCalls,
    /// Writes to CR3: switches of address space.
    Cr3Writes,
    Invlpg,
    /// `in`, `out` and their string forms.
    PortIo,
    /// `rdmsr` and `wrmsr`.
    Msr,
    Halts,
    ItlbMisses,
    DtlbMisses,
    ItlbWalks,
    DtlbWalks,
    L1iMisses,
    L1dMisses,
    L2Misses,
    L3Misses,
}

/// All kinds with their names, in the order of their numbers.
pub const KINDS: [(Kind, &str); 19] = [
    (Kind::Instructions, "instructions"),
    (Kind::Accesses, "accesses"),
    (Kind::Syscalls, "syscalls"),
    (Kind::PageFaults, "page_faults"),
    (Kind::OtherEntries, "other_entries"),
    (Kind::VmCalls, "vmcalls"),
    (Kind::Cr3Writes, "cr3_writes"),
    (Kind::Invlpg, "invlpg"),
    (Kind::PortIo, "port_io"),
    (Kind::Msr, "msr"),
    (Kind::Halts, "halts"),
    (Kind::ItlbMisses, "itlb_misses"),
    (Kind::DtlbMisses, "dtlb_misses"),
    (Kind::ItlbWalks, "itlb_walks"),
    (Kind::DtlbWalks, "dtlb_walks"),
    (Kind::L1iMisses, "l1i_misses"),
    (Kind::L1dMisses, "l1d_misses"),
    (Kind::L2Misses, "l2_misses"),
    (Kind::L3Misses, "l3_misses"),
];

/// The kinds from this one on are the model's.
const FIRST_MODELLED: usize = Kind::ItlbMisses as usize;

/// Xen has fewer hypercalls than this; those above, and those whose number is not to be seen, share one.
pub const HYPERCALLS: usize = 64;

const OF_PLACES: usize = PLACES.len() * KINDS.len();
const VM_EXITS: usize = OF_PLACES + HYPERCALLS + 1;

/// How many counters there are.
pub const COUNT: usize = VM_EXITS + 1;

/// A copy of all counters.
pub type Snapshot = [u64; COUNT];

static COUNTERS: [Counter; COUNT] = [const { AtomicU64::new(0) }; COUNT];

/// Held by tests that count: they share the counters.
#[cfg(test)]
pub static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

pub const fn index(place: Place, kind: Kind) -> usize {
    place as usize * KINDS.len() + kind as usize
}

pub fn of(place: Place, kind: Kind) -> &'static Counter {
    &COUNTERS[index(place, kind)]
}

pub fn hypercall(number: Option<u32>) -> &'static Counter {
    let number = number.map_or(HYPERCALLS, |number| HYPERCALLS.min(number as usize));
    &COUNTERS[OF_PLACES + number]
}

/// Adds to a counter; cheaper than an atomic addition, and there is one CPU.
#[inline(always)]
pub fn bump(counter: &Counter) {
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

pub fn vm_exits() -> &'static Counter {
    &COUNTERS[VM_EXITS]
}

pub fn snapshot() -> Snapshot {
    std::array::from_fn(|at| COUNTERS[at].load(Relaxed))
}

/// The name of a counter in the result.
pub fn name(at: usize) -> String {
    match at {
        VM_EXITS => "vm_exits".into(),
        _ if at == OF_PLACES + HYPERCALLS => "hypercall/other".into(),
        _ if at >= OF_PLACES => format!("hypercall/{}", hypercall::name(at - OF_PLACES)),
        _ => {
            let (place, kind) = (PLACES[at / KINDS.len()], KINDS[at % KINDS.len()]);
            let model = if kind.0 as usize >= FIRST_MODELLED { "model/" } else { "" };
            format!("{model}{}/{}", place.name(), kind.1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::HashSet;

    #[test]
    fn every_counter_has_a_name_of_its_own() {
        let names: HashSet<String> = (0..COUNT).map(name).collect();
        assert_eq!(names.len(), COUNT);
        assert!((0..).zip(KINDS).all(|(at, (kind, _))| kind as usize == at));
        assert_eq!(name(index(Place::Kernel, Kind::PageFaults)), "kernel/page_faults");
        assert_eq!(name(index(Place::Probe, Kind::L3Misses)), "model/probe/l3_misses");
    }
}
