//! Regions: what was counted between marks, by request and term.

use crate::args::Config;
use crate::counts::{self, COUNT, Copy, Kind};
use crate::guest::{self, Guest};
use crate::hypercall::Ax;
use crate::mark::Spelling;
use crate::model::Model;
use crate::place::{Map, Place};
use crate::report;
use std::collections::{BTreeMap, HashMap};

/// Most regions that are kept; a probe has a hundred benchmarks of a few terms.
const MOST_REGIONS: usize = 4096;

/// Everything that callbacks change, beside the counters.
pub struct State {
    /// Which addresses are whose.
    pub map: Map,
    /// The caches and TLBs, if they are modelled.
    pub model: Option<Model>,
    /// Between a begin mark and its end.
    pub counting: bool,
    /// The last block: whose, and whether it ended in a call to the next privilege.
    pub last: (Place, bool),
    /// What a hypercall finds in AX.
    pub ax: Ax,
    /// Where exceptions and interrupts enter, as far as seen.
    pub entries: HashMap<u64, Kind>,
    /// How often each entry was seen since the learning began.
    pub learning: Option<HashMap<u64, u32>>,
    /// The number that is being spelled.
    pub spelling: Spelling,
    /// What the next batch belongs to.
    pub next: Next,
    /// The counters when the batch began, and the host's then, of a guest inside of the guest.
    pub open: Option<(Box<Copy>, Option<Box<Copy>>)>,
    /// A guest inside of the guest.
    pub guest: Guest,
    /// What was counted in a batch that has ended, until its operations are told.
    pub ended: Option<Box<Copy>>,
    /// What has been counted, by request and term.
    pub regions: BTreeMap<(u32, u32), Region>,
    /// Some marks came from elsewhere than the probe's own text.
    pub misplaced: bool,
}

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
    pub counts: Box<Copy>,
}

impl State {
    pub fn new(config: &Config) -> State {
        State {
            map: config.map,
            model: config.model.then(|| Model::new(&config.shape, config.map)),
            counting: false,
            last: (Place::Hypervisor, false),
            ax: Ax::default(),
            entries: HashMap::new(),
            learning: None,
            spelling: Spelling::default(),
            next: Next::default(),
            open: None,
            ended: None,
            guest: Guest::default(),
            regions: BTreeMap::new(),
            misplaced: false,
        }
    }

    /// Samples of request `id` begin, or with 0, end.
    pub fn series(&mut self, id: u64) {
        self.next.id = u32::try_from(id).unwrap_or(0);
        if id == 0 {
            report::write(self);
        }
    }

    /// A batch has ended: what was counted is its region's, if it is a sample's, now or when its operations are told.
    pub fn end(&mut self) {
        self.counting = false;
        self.misplaced |= self.last.0 != Place::Probe;
        let Some((begin, host_begin)) = self.open.take() else { return };
        self.ended = Some(Box::new(self.since(&begin, host_begin.as_deref())));
        if self.next.ops != 0 {
            self.close(self.next.ops);
        }
    }

    /// The batch that has ended held `ops` operations.
    pub fn close(&mut self, ops: u64) {
        let Some(counted) = self.ended.take() else { return };
        let key = (self.next.id, self.next.term);
        let room = self.regions.len() < MOST_REGIONS || self.regions.contains_key(&key);
        if self.next.id == 0 || ops == 0 || !room {
            return;
        }
        let Next { per, negative, .. } = self.next;
        let fresh = || Region { per, negative, ops: 0, batches: 0, counts: Box::new([0; COUNT]) };
        let region = self.regions.entry(key).or_insert_with(fresh);
        region.ops += ops;
        region.batches += 1;
        for (sum, counted) in region.counts.iter_mut().zip(*counted) {
            *sum += counted;
        }
    }

    fn since(&self, begin: &Copy, host_begin: Option<&Copy>) -> Copy {
        let now = counts::copy();
        let mut counted: Copy = std::array::from_fn(|at| now[at] - begin[at]);
        if self.guest.inside
            && let Some(host) = &self.guest.host
        {
            let before = |at: usize| host_begin.map_or(0, |copy| copy[at]);
            guest::take_apart(&mut counted, &std::array::from_fn(|at| host[at] - before(at)));
        }
        counted
    }
}
