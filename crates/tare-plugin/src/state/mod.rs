//! The state that the callbacks change, and the change that each of them makes.

use crate::args::Config;
use crate::block::Block;
use crate::cell::OneCpu;
use crate::counts::{self, Event, Snapshot};
use crate::domains::Domains;
use crate::guest::{Guest, take_apart};
use crate::hypercall::Ax;
use crate::mark::{Mark, Spelling};
use crate::model::Model;
use crate::modules::Modules;
use crate::place::{Map, Place};
use crate::profile::{Addresses, Profile};
use crate::region::{Next, Regions};
use crate::report;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What the plugin was asked for.
static CONFIG: OnceLock<Config> = OnceLock::new();

/// Everything that callbacks change, beside the counters.
static STATE: OneCpu<Option<State>> = OneCpu::new(None);

pub fn begin(config: Config) {
    STATE.with(|state| *state = Some(State::new(&config)));
    let _ = CONFIG.set(config);
}

/// Works on the state. Must not be called from within `work`.
#[inline(always)]
pub fn with(work: impl FnOnce(&mut State)) {
    STATE.with(|state| state.as_mut().map(work));
}

/// Everything that callbacks change, beside the counters.
pub struct State {
    pub map: Map,
    /// Whose kernel an address is, where there are two.
    pub domains: Option<Domains>,
    /// The caches and TLBs, if they are modelled.
    pub model: Option<Model>,
    /// Between a begin mark and its end.
    pub counting: bool,
    /// Whose the last block was.
    pub last: Place,
    /// Whether it ended in a call to the next privilege.
    pub last_calls: bool,
    pub ax: Ax,
    /// Where exceptions and interrupts enter, as far as seen.
    pub entries: HashMap<u64, Event>,
    /// How often each entry was seen since the learning began.
    pub learning: Option<HashMap<u64, u32>>,
    pub spelling: Spelling,
    pub next: Next,
    /// What was counted when the batch began.
    open: Option<Began>,
    pub guest: Guest,
    pub profile: Profile,
    /// What was counted in a batch that has ended, until its operations are told.
    ended: Option<(Box<Snapshot>, Addresses)>,
    /// What has been counted, by request and term.
    pub regions: Regions,
    pub modules: Modules,
    /// Some marks came from elsewhere than the probe's own text.
    pub misplaced: bool,
}

struct Began {
    all: Box<Snapshot>,
    /// Those of the host then, of a guest inside of the guest.
    host: Option<Box<Snapshot>>,
}

impl State {
    pub fn new(config: &Config) -> State {
        State {
            map: config.map,
            domains: config.domains.then(|| Domains::new(config.dom0)),
            model: config.model.then(|| Model::new(&config.shape, config.map)),
            counting: false,
            last: Place::Hypervisor,
            last_calls: false,
            ax: Ax::default(),
            entries: HashMap::new(),
            learning: None,
            spelling: Spelling::default(),
            next: Next::default(),
            open: None,
            ended: None,
            guest: Guest::default(),
            profile: Profile::default(),
            regions: Regions::default(),
            modules: Modules::default(),
            misplaced: false,
        }
    }

    /// The place of what is at `address`, and `host` in QEMU's own memory.
    pub fn place(&self, address: u64, host: u64) -> Place {
        match (self.map.place(address), &self.domains) {
            (Place::Kernel, Some(domains)) => domains.kernel(address, host),
            (place, _) => place,
        }
    }

    /// Writes what was counted so far.
    pub fn report(&self) {
        if let Some(config) = CONFIG.get() {
            let modules = &self.modules.all;
            let tree = &self.profile.tree;
            let dom0 = self.domains.as_ref().and_then(Domains::told);
            report::write(config, &self.regions, tree, modules, dom0, self.misplaced);
        }
    }

    pub fn mark(&mut self, code: u16) {
        let Some(mark) = self.spelling.read(code) else { return };
        match mark {
            Mark::Series(id) => {
                self.next.id = u32::try_from(id).unwrap_or(0);
                if id == 0 {
                    self.report();
                }
            }
            Mark::Per(per) => self.next.per = per,
            Mark::Term(term, negative) => (self.next.term, self.next.negative) = (term, negative),
            Mark::Ops(ops) => self.next.ops = ops,
            Mark::Close(ops) => self.close(ops),
            Mark::Begin => self.begin(),
            Mark::End => self.end(),
            Mark::Learn => self.learning = Some(HashMap::new()),
            Mark::Learned => self.learned(),
            Mark::Module(name) => self.modules.is_called(name),
            Mark::At(at) => self.modules.is_at(at, false),
            Mark::AtOutside(at) => self.modules.is_at(at, true),
        }
    }

    fn begin(&mut self) {
        let host = self.guest.inside.then(|| self.guest.host.clone()).flatten();
        self.counting = true;
        self.profile.begin();
        self.open = Some(Began { all: Box::new(counts::snapshot()), host });
    }

    /// A batch has ended: what was counted is its region's, if it is a sample's, now or when its operations are told.
    fn end(&mut self) {
        self.counting = false;
        self.misplaced |= self.last != Place::Probe;
        let Some(began) = self.open.take() else { return };
        self.ended = Some((Box::new(self.since(&began)), self.profile.end()));
        if self.next.ops != 0 {
            self.close(self.next.ops);
        }
    }

    /// The batch that has ended held `ops` operations.
    fn close(&mut self, ops: u64) {
        if let Some((counted, addresses)) = self.ended.take() {
            self.regions.add(&self.next, ops, &counted, &addresses);
        }
    }

    fn since(&self, began: &Began) -> Snapshot {
        let now = counts::snapshot();
        let mut counted: Snapshot = std::array::from_fn(|at| now[at] - began.all[at]);
        if self.guest.inside
            && let Some(host) = &self.guest.host
        {
            let before = |at: usize| began.host.as_ref().map_or(0, |copy| copy[at]);
            take_apart(&mut counted, &std::array::from_fn(|at| host[at] - before(at)));
        }
        counted
    }

    /// The entry that was seen most while fresh pages were touched is the page fault's.
    fn learned(&mut self) {
        let Some(seen) = self.learning.take() else { return };
        if let Some((&address, _)) = seen.iter().max_by_key(|(_, times)| **times) {
            self.entries.insert(address, Event::PageFaults);
        }
    }

    /// The machine enters a guest of its own, or that one has exited.
    pub fn guest(&mut self, inside: bool) {
        if inside {
            self.guest.enter()
        } else {
            self.guest.exit()
        }
        if let Some(model) = &mut self.model {
            model.nested = inside;
        }
    }

    #[inline(always)]
    pub fn start(&mut self, block: &'static Block) {
        self.ax.start(block.ax);
        if block.after_guest {
            self.guest(false);
        } else {
            self.cross(block);
        }
        self.profile.start(block, self.guest.is_host(), self.counting);
        self.last = block.place;
        self.last_calls = block.calls;
        if let Some(domains) = &mut self.domains {
            domains.executes(block.place);
        }
        if self.counting
            && let Some(model) = &mut self.model
        {
            for &(address, host) in &block.lines {
                model.fetch(block.place, address, host);
            }
        }
    }

    /// Counts an entry by a fault or an interrupt: from above, or at an address that is known for it.
    #[inline(always)]
    fn cross(&mut self, block: &Block) {
        let up = self.last < block.place && !block.place.is_user();
        if up && self.counting {
            self.profile.enter(block);
        }
        if up && !self.last_calls && block.entry.get().is_none() {
            block.entry.set(Some(*self.entries.entry(block.start).or_insert(Event::OtherEntries)));
        }
        let Some(kind) = block.entry.get() else { return };
        if let Some(seen) = &mut self.learning {
            *seen.entry(block.start).or_insert(0) += 1;
        }
        // A kind that was learned after this block was: ask again, entries are rare.
        let kind = self.entries.get(&block.start).copied().unwrap_or(kind);
        counts::bump(counts::counter(block.place, kind));
    }
}

#[cfg(test)]
mod tests;
