//! Where in the code a batch's instructions were executed, and on whose behalf; and where more privileged code was entered.

use crate::block::Block;
use crate::calls::{Node, Stack, Tree};
use crate::counts::{self, Event};
use crate::guest::place_in_host;
use crate::place::Place;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering::Relaxed;

/// Most places that are kept of a region: ten times what the longest rows of a suite execute. What has no room is counted at address 0.
const MOST: usize = 1 << 17;

/// What the batches of a region have counted.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Addresses {
    /// Instructions by what was called, and by the address at which a block of it starts.
    pub executed: BTreeMap<(Node, u64), u64>,
    /// Entries from a less privileged place, by the address that is entered.
    pub entered: BTreeMap<(Place, u64), u64>,
}

impl Addresses {
    /// Adds what another batch has counted.
    pub fn add(&mut self, other: &Addresses) {
        add(&mut self.executed, &other.executed);
        add(&mut self.entered, &other.entered);
    }
}

fn add<K: Copy + Ord>(sum: &mut BTreeMap<(K, u64), u64>, more: &BTreeMap<(K, u64), u64>) {
    for (&(key, start), count) in more {
        let room = sum.len() < MOST || sum.contains_key(&(key, start));
        *sum.entry((key, if room { start } else { 0 })).or_default() += count;
    }
}

/// What the batch that is open has counted so far.
#[derive(Default)]
pub struct Profile {
    /// All that was ever called while batches were open.
    pub tree: Tree,
    stacks: [Stack; Place::ALL.len()],
    /// Whether user code was executed since a place was.
    stale: [bool; Place::ALL.len()],
    /// The block that is being executed.
    running: Option<Running>,
    executed: HashMap<(Node, u64), u64>,
    entered: BTreeMap<(Place, u64), u64>,
}

struct Running {
    block: &'static Block,
    /// Whose it is: its own place's, or a host's whose guest runs inside of the guest.
    place: Place,
    node: Node,
    /// What was counted in its place when it started.
    since: u64,
}

impl Profile {
    /// `block` starts, after one that was counted if a batch is open.
    #[inline(always)]
    pub fn start(&mut self, block: &'static Block, as_host: bool, counting: bool) {
        let place = if as_host { place_in_host(block.place) } else { block.place };
        let mut node = place as Node;
        if counting {
            self.account();
            if block.place.is_user() {
                // A host's own user code leaves its guest's stacks alone.
                let all = &mut self.stale[if as_host { place as usize } else { 0 }..];
                all.fill(true);
            } else {
                node = self.privileged(block, place);
            }
        }
        self.running = Some(Running { block, place, node, since: executed(block) });
    }

    /// The node of a block that is a kernel's or a hypervisor's.
    fn privileged(&mut self, block: &Block, place: Place) -> Node {
        let stack = &mut self.stacks[place as usize];
        let stale = std::mem::take(&mut self.stale[place as usize]);
        let last = self.running.as_ref();
        let from_below = last.is_some_and(|last| last.place < place) && !block.after_guest;
        if stale || from_below {
            stack.enter(&mut self.tree, place, block.start);
        } else if let Some(last) = last.filter(|last| last.place == place) {
            stack.goes_on(&mut self.tree, place, last.block.ends, block.start);
        }
        stack.node(place)
    }

    /// More privileged code is entered at `block`.
    pub fn enter(&mut self, block: &Block) {
        *self.entered.entry((block.place, block.start)).or_default() += 1;
    }

    /// A batch begins in the middle of a block.
    pub fn begin(&mut self) {
        self.executed.clear();
        self.entered.clear();
        if let Some(running) = &mut self.running {
            running.since = executed(running.block);
        }
    }

    /// The batch has ended: what it has counted.
    pub fn end(&mut self) -> Addresses {
        self.account();
        let executed = self.executed.drain().filter(|(_, count)| *count > 0).collect();
        Addresses { executed, entered: std::mem::take(&mut self.entered) }
    }

    /// Adds what the running block has executed since it started, or since that was asked last.
    #[inline(always)]
    fn account(&mut self) {
        let Some(running) = &mut self.running else { return };
        let now = executed(running.block);
        *self.executed.entry((running.node, running.block.start)).or_default() +=
            now - running.since;
        running.since = now;
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
            executed: BTreeMap::from([((2, start), 2)]),
            entered: BTreeMap::from([((Place::Kernel, start), 1)]),
        };
        for start in 1..=MOST as u64 + 3 {
            sum.add(&of(start));
        }
        sum.add(&of(7));
        assert_eq!(sum.executed.len(), MOST + 1);
        assert_eq!(sum.executed[&(2, 0)], 6);
        assert_eq!((sum.executed[&(2, 7)], sum.entered[&(Place::Kernel, 7)]), (4, 2));
    }
}
