//! The counters: one array, so that a region is the difference of two copies of it.

use crate::hypercall;
use crate::place::Place;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
pub use tare_proto::counter::Event;
use tare_proto::counter::{self, HYPERCALL};

/// A counter, which translated code adds to as well.
pub type Counter = AtomicU64;

/// Xen has fewer hypercalls than this; those above, and those whose number is not to be seen, share one.
pub const HYPERCALLS: usize = 64;

const OF_PLACES: usize = Place::ALL.len() * Event::ALL.len();
const VM_EXITS: usize = OF_PLACES + HYPERCALLS + 1;

/// How many counters there are.
pub const COUNT: usize = VM_EXITS + 1;

/// A copy of all counters.
pub type Snapshot = [u64; COUNT];

static COUNTERS: [Counter; COUNT] = [const { AtomicU64::new(0) }; COUNT];

/// Held by tests that count: they share the counters.
#[cfg(test)]
pub static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

pub const fn index(place: Place, event: Event) -> usize {
    place as usize * Event::ALL.len() + event as usize
}

pub fn counter(place: Place, event: Event) -> &'static Counter {
    &COUNTERS[index(place, event)]
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

pub fn name(at: usize) -> String {
    match at {
        VM_EXITS => counter::VM_EXITS.into(),
        _ if at == OF_PLACES + HYPERCALLS => format!("{HYPERCALL}other"),
        _ if at >= OF_PLACES => format!("{HYPERCALL}{}", hypercall::name(at - OF_PLACES)),
        _ => {
            let (event, _) = Event::ALL[at % Event::ALL.len()];
            event.counter(Place::ALL[at / Event::ALL.len()])
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
        assert_eq!(name(index(Place::Kernel, Event::PageFaults)), "kernel/page_faults");
        assert_eq!(name(index(Place::Probe, Event::L3Misses)), "model/probe/l3_misses");
    }

    #[test]
    fn hypercalls_that_no_guest_of_xen_has_share_a_counter() {
        let at = |number| {
            let counter: *const Counter = hypercall(number);
            COUNTERS.iter().position(|one| std::ptr::eq(one, counter)).map(name)
        };
        assert_eq!(at(Some(1)).as_deref(), Some("hypercall/mmu_update"));
        assert_eq!(at(Some(HYPERCALLS as u32 - 1)).as_deref(), Some("hypercall/63"));
        for other in [None, Some(HYPERCALLS as u32), Some(u32::MAX)] {
            assert_eq!(at(other).as_deref(), Some("hypercall/other"));
        }
    }
}
