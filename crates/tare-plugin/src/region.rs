//! Regions: what was counted between marks, by request and term.

use crate::counts::{COUNT, Snapshot};
use std::collections::BTreeMap;

/// Most regions that are kept; a probe has a hundred benchmarks of a few terms.
const MOST_REGIONS: usize = 4096;

/// What has been counted, by request and term.
#[derive(Default)]
pub struct Regions(pub BTreeMap<(u32, u32), Region>);

/// What the next batch belongs to.
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
    /// The term is subtracted.
    pub negative: bool,
    pub ops: u64,
    pub batches: u64,
    pub counts: Box<Snapshot>,
}

impl Regions {
    /// A batch of `ops` operations belongs to `next`.
    pub fn add(&mut self, next: &Next, ops: u64, counted: &Snapshot) {
        let key = (next.id, next.term);
        let room = self.0.len() < MOST_REGIONS || self.0.contains_key(&key);
        if next.id == 0 || ops == 0 || !room {
            return;
        }
        let Next { per, negative, .. } = *next;
        let fresh = || Region { per, negative, ops: 0, batches: 0, counts: Box::new([0; COUNT]) };
        let region = self.0.entry(key).or_insert_with(fresh);
        region.ops += ops;
        region.batches += 1;
        for (sum, counted) in region.counts.iter_mut().zip(counted) {
            *sum += counted;
        }
    }
}
