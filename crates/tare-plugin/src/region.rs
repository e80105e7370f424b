//! Regions: what was counted between marks, by request and term.

use crate::counts::{COUNT, Snapshot};
use crate::profile::Addresses;
use std::collections::BTreeMap;

/// Most regions that are kept; a probe has a hundred benchmarks of a few terms.
const MOST_REGIONS: usize = 4096;

/// What has been counted, by request and term.
#[derive(Default)]
pub struct Regions(pub BTreeMap<(u32, u32), Region>);

#[derive(Default)]
pub struct Next {
    /// The request, or 0 when samples are not being taken.
    pub id: u32,
    pub per: f64,
    pub term: u32,
    pub negative: bool,
    /// Its operations, or 0 when they are told after it.
    pub ops: u64,
}

/// The sum of all batches of a request's term.
pub struct Region {
    /// What a sample is divided by beside its operations.
    pub per: f64,
    pub negative: bool,
    pub ops: u64,
    pub batches: u64,
    pub counts: Box<Snapshot>,
    pub addresses: Addresses,
}

impl Regions {
    /// A batch of `ops` operations belongs to `next`.
    pub fn add(&mut self, next: &Next, ops: u64, counted: &Snapshot, addresses: &Addresses) {
        let key = (next.id, next.term);
        let room = self.0.len() < MOST_REGIONS || self.0.contains_key(&key);
        if next.id == 0 || ops == 0 || !room {
            return;
        }
        let Next { per, negative, .. } = *next;
        let fresh = || Region {
            per,
            negative,
            ops: 0,
            batches: 0,
            counts: Box::new([0; COUNT]),
            addresses: Addresses::default(),
        };
        let region = self.0.entry(key).or_insert_with(fresh);
        region.ops += ops;
        region.batches += 1;
        for (sum, counted) in region.counts.iter_mut().zip(counted) {
            *sum += counted;
        }
        region.addresses.add(addresses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::counts::{Event, index};
    use crate::place::Place;

    fn counted(instructions: u64) -> Snapshot {
        let mut all = [0; COUNT];
        all[index(Place::Kernel, Event::Instructions)] = instructions;
        all
    }

    #[test]
    fn batches_of_a_term_add_up() {
        let mut regions = Regions::default();
        let next = Next { id: 7, term: 1, per: 2.0, negative: true, ops: 0 };
        regions.add(&next, 10, &counted(321), &Addresses::default());
        regions.add(&next, 20, &counted(642), &Addresses::default());
        regions.add(&Next { id: 0, ..next }, 5, &counted(1), &Addresses::default()); // no samples are being taken
        let region = &regions.0[&(7, 1)];
        assert_eq!((regions.0.len(), region.ops, region.batches), (1, 30, 2));
        assert_eq!(region.counts[index(Place::Kernel, Event::Instructions)], 963);
    }

    #[test]
    fn a_guest_cannot_make_regions_without_end() {
        let mut regions = Regions::default();
        for id in 1..=MOST_REGIONS as u32 + 5 {
            regions.add(&Next { id, ..Next::default() }, 1, &counted(1), &Addresses::default());
        }
        assert_eq!(regions.0.len(), MOST_REGIONS);
        regions.add(&Next { id: 1, ..Next::default() }, 1, &counted(1), &Addresses::default());
        assert_eq!(regions.0[&(1, 0)].ops, 2, "those that are there go on");
    }

    #[test]
    fn terms_and_requests_are_kept_apart_and_what_held_no_operation_is_dropped() {
        let mut regions = Regions::default();
        let of = |id, term, negative| Next { id, term, per: 4.0, negative, ops: 0 };
        regions.add(&of(1, 0, false), 10, &counted(50), &Addresses::default());
        regions.add(&of(1, 1, true), 10, &counted(7), &Addresses::default());
        regions.add(&of(2, 0, false), 1, &counted(3), &Addresses::default());
        regions.add(&of(3, 0, false), 0, &counted(9), &Addresses::default());
        let found: Vec<_> = regions
            .0
            .iter()
            .map(|(key, region)| {
                let instructions = region.counts[index(Place::Kernel, Event::Instructions)];
                (*key, region.negative, region.per, instructions)
            })
            .collect();
        let wanted = [((1, 0), false, 4.0, 50), ((1, 1), true, 4.0, 7), ((2, 0), false, 4.0, 3)];
        assert_eq!(found, wanted);
    }
}
