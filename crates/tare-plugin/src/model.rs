//! A model of caches and TLBs. It is a model: true LRU, no prefetching, no wrong paths, no walker
//! caches; what the API does not show rests on the assumptions stated at [`Model::page`] and
//! [`Model::global`].

use crate::counts::{self, Event};
use crate::lru::Lru;
use crate::place::{Map, Place};
use crate::shape::{LINE, Shape};

/// What a page's translation is remembered as: page number, and these below it.
const USED: u64 = 1;
const LARGE: u64 = 2;
const GLOBAL: u64 = 4;
const NESTED: u64 = 8;
const PAGE_SHIFT: u32 = 4;

pub struct Model {
    map: Map,
    hypervisor: bool,
    /// Between an entry into a guest of the guest and its exit.
    pub nested: bool,
    itlb: Lru,
    dtlb: Lru,
    stlb: Lru,
    l1i: Lru,
    l1d: Lru,
    l2: Lru,
    l3: Lru,
}

impl Model {
    pub fn new(shape: &Shape, map: Map) -> Model {
        Model {
            map,
            hypervisor: false,
            nested: false,
            itlb: Lru::new(shape.entries_and_ways("itlb")),
            dtlb: Lru::new(shape.entries_and_ways("dtlb")),
            stlb: Lru::new(shape.entries_and_ways("stlb")),
            l1i: Lru::new(shape.entries_and_ways("l1i")),
            l1d: Lru::new(shape.entries_and_ways("l1d")),
            l2: Lru::new(shape.entries_and_ways("l2")),
            l3: Lru::new(shape.entries_and_ways("l3")),
        }
    }

    /// Code of a hypervisor with addresses of its own has been translated: pages are then mapped as
    /// Xen maps them.
    pub fn hypervisor_seen(&mut self) {
        self.hypervisor = true;
    }

    pub fn fetch(&mut self, place: Place, address: u64, physical: u64) {
        let (set, tag) = self.page(address);
        if !self.itlb.touch(set, tag) {
            counts::bump(counts::counter(place, Event::ItlbMisses));
            if !self.stlb.touch(set, tag) {
                counts::bump(counts::counter(place, Event::ItlbWalks));
            }
        }
        let line = physical / LINE;
        if !self.l1i.touch(line, line << 1 | 1) {
            counts::bump(counts::counter(place, Event::L1iMisses));
            self.beyond(place, line);
        }
    }

    /// `place` loads or stores.
    pub fn access(&mut self, place: Place, address: u64, physical: u64) {
        let (set, tag) = self.page(address);
        if !self.dtlb.touch(set, tag) {
            counts::bump(counts::counter(place, Event::DtlbMisses));
            if !self.stlb.touch(set, tag) {
                counts::bump(counts::counter(place, Event::DtlbWalks));
            }
        }
        let line = physical / LINE;
        if !self.l1d.touch(line, line << 1 | 1) {
            counts::bump(counts::counter(place, Event::L1dMisses));
            self.beyond(place, line);
        }
    }

    fn beyond(&mut self, place: Place, line: u64) {
        if !self.l2.touch(line, line << 1 | 1) {
            counts::bump(counts::counter(place, Event::L2Misses));
            if !self.l3.touch(line, line << 1 | 1) {
                counts::bump(counts::counter(place, Event::L3Misses));
            }
        }
    }

    /// The set and tag of an address's translation. Assumed, since the API shows no page tables: a
    /// bare kernel maps its text and all of memory with 2 MiB pages, Xen itself too, and everything
    /// else, kernels on Xen included, has pages of 4 KiB.
    #[inline(always)]
    fn page(&self, address: u64) -> (u64, u64) {
        let bare = match address {
            0xffff_8880_0000_0000..0xffff_c000_0000_0000 => true,
            0xffff_ffff_8000_0000..0xffff_ffff_a000_0000 => true,
            0xc000_0000..0xf780_0000 => self.map.kernel <= 0xc000_0000,
            _ => false,
        };
        let place = self.map.place(address);
        let large = place == Place::Hypervisor || bare && !self.hypervisor;
        let number = address >> if large { 21 } else { 12 };
        let flags = USED
            | if large { LARGE } else { 0 }
            | if self.global(place) { GLOBAL } else { 0 }
            | if self.nested { NESTED } else { 0 };
        (number, number << PAGE_SHIFT | flags)
    }

    /// Whether a translation outlives a switch of address space. Assumed: a bare kernel's does, and
    /// on 64-bit Xen those of user pages and of Xen itself do, the PV kernel's do not.
    #[inline(always)]
    fn global(&self, of: Place) -> bool {
        if self.hypervisor { !of.is_kernel() } else { !of.is_user() }
    }

    /// Forgets translations: those that are not global, or all.
    pub fn flush(&mut self, all: bool) {
        for tlb in [&mut self.itlb, &mut self.dtlb, &mut self.stlb] {
            tlb.drop_unless(|tag| !all && tag & GLOBAL != 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{ALONE, Snapshot, index, snapshot};

    const KERNEL: u64 = 0xffff_ffff_8100_0000;
    const USER: u64 = 0x40_0000;

    fn model() -> Model {
        Model::new(&Shape::default(), Map::default())
    }

    /// How often each kind was counted in `place` by what `work` does.
    fn counted<const N: usize>(place: Place, kinds: [Event; N], work: impl FnOnce()) -> [u64; N] {
        let before: Snapshot = snapshot();
        work();
        let after = snapshot();
        kinds.map(|kind| after[index(place, kind)] - before[index(place, kind)])
    }

    #[test]
    fn the_first_touch_misses_everywhere_and_the_second_nowhere() {
        let _alone = ALONE.lock().unwrap();
        let mut model = model();
        let kinds = [Event::DtlbMisses, Event::DtlbWalks, Event::L1dMisses, Event::L3Misses];
        let touch = |model: &mut Model| {
            counted(Place::User, kinds, || model.access(Place::User, USER, 0x1000))
        };
        assert_eq!(touch(&mut model), [1, 1, 1, 1]);
        assert_eq!(touch(&mut model), [0, 0, 0, 0]);
        model.flush(false);
        assert_eq!(
            touch(&mut model),
            [1, 1, 0, 0],
            "caches outlive a switch, a user's page does not"
        );
    }

    #[test]
    fn a_bare_kernel_has_large_pages_that_outlive_switches_and_one_on_xen_has_neither() {
        let _alone = ALONE.lock().unwrap();
        let mut model = model();
        let kinds = [Event::ItlbMisses];
        let mut fetch = |at: u64, prepare: &dyn Fn(&mut Model)| {
            prepare(&mut model);
            counted(Place::Kernel, kinds, || model.fetch(Place::Kernel, at, at & 0xff_ffff))[0]
        };
        assert_eq!(fetch(KERNEL, &|_| ()), 1);
        assert_eq!(fetch(KERNEL + 0x1000, &|model| model.flush(false)), 0);
        assert_eq!(fetch(KERNEL + 0x1000, &|model| model.flush(true)), 1);
        assert_eq!(fetch(KERNEL, &|model| model.hypervisor_seen()), 1);
        assert_eq!(fetch(KERNEL + 0x1000, &|_| ()), 1, "the next page of 4 KiB");
        assert_eq!(fetch(KERNEL, &|model| model.flush(false)), 1);
    }
}
