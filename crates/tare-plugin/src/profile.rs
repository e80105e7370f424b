//! Where in the code a batch's instructions were executed, and where more privileged code was entered: by the address of the block.

use crate::block::Block;
use crate::counts::{self, Event};
use crate::place::Place;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// Most addresses that are kept of a region: ten times what the longest rows of a suite execute. What has no room is counted at address 0.
const MOST: usize = 1 << 17;

/// Counts by place and by the address at which a block starts.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Addresses {
    /// Instructions.
    pub executed: BTreeMap<(Place, u64), u64>,
    /// Entries from a less privileged place.
    pub entered: BTreeMap<(Place, u64), u64>,
}

impl Addresses {
    /// Adds what another batch has counted.
    pub fn add(&mut self, other: &Addresses) {
        let sums = [(&mut self.executed, &other.executed), (&mut self.entered, &other.entered)];
        for (sum, more) in sums {
            more.iter().for_each(|(&(place, start), &count)| bump(sum, place, start, count));
        }
    }
}

fn bump(sum: &mut BTreeMap<(Place, u64), u64>, place: Place, start: u64, count: u64) {
    let room = sum.len() < MOST || sum.contains_key(&(place, start));
    *sum.entry((place, if room { start } else { 0 })).or_default() += count;
}

/// What the batch that is open has counted so far.
#[derive(Default)]
pub struct Profile {
    /// The block that is being executed.
    running: Option<Running>,
    /// Blocks that have counts, each as its own place's or as a host's.
    touched: Vec<(&'static Block, bool)>,
    entered: BTreeMap<(Place, u64), u64>,
}

struct Running {
    block: &'static Block,
    /// Whether it is a host's, of a guest inside of the guest.
    as_host: bool,
    /// What was counted in its place when it started.
    since: u64,
}

impl Profile {
    /// `block` starts, after one that was counted if a batch is open.
    #[inline(always)]
    pub fn start(&mut self, block: &'static Block, as_host: bool, counting: bool) {
        if counting {
            self.account();
        }
        self.running = Some(Running { block, as_host, since: executed(block) });
    }

    /// More privileged code is entered at `block`.
    pub fn enter(&mut self, block: &Block) {
        bump(&mut self.entered, block.place, block.start, 1);
    }

    /// A batch begins in the middle of a block.
    pub fn begin(&mut self) {
        self.take();
        if let Some(running) = &mut self.running {
            running.since = executed(running.block);
        }
    }

    /// The batch has ended: what it has counted.
    pub fn end(&mut self) -> Addresses {
        self.account();
        self.take()
    }

    /// Adds what the running block has executed since it started, or since that was asked last.
    #[inline(always)]
    fn account(&mut self) {
        let Some(running) = &mut self.running else { return };
        let now = executed(running.block);
        let cell = &running.block.executed[usize::from(running.as_host)];
        if cell.get() == 0 {
            self.touched.push((running.block, running.as_host));
        }
        cell.set(cell.get() + now - running.since);
        running.since = now;
    }

    fn take(&mut self) -> Addresses {
        let mut all = Addresses::default();
        std::mem::swap(&mut all.entered, &mut self.entered);
        for (block, as_host) in self.touched.drain(..) {
            let place = if as_host { Place::Hypervisor } else { block.place };
            match block.executed[usize::from(as_host)].take() {
                0 => {}
                count => bump(&mut all.executed, place, block.start, count),
            }
        }
        all
    }
}

/// Instructions that its place has executed so far.
#[inline(always)]
fn executed(block: &Block) -> u64 {
    counts::counter(block.place, Event::Instructions).load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_without_room_are_counted_together() {
        let mut sum = Addresses::default();
        let of = |start| Addresses {
            executed: BTreeMap::from([((Place::Kernel, start), 2)]),
            entered: BTreeMap::from([((Place::Kernel, start), 1)]),
        };
        for start in 1..=MOST as u64 + 3 {
            sum.add(&of(start));
        }
        sum.add(&of(7));
        assert_eq!(sum.executed.len(), MOST + 1);
        assert_eq!(sum.executed[&(Place::Kernel, 0)], 6);
        assert_eq!((sum.executed[&(Place::Kernel, 7)], sum.entered[&(Place::Kernel, 7)]), (4, 2));
    }
}
