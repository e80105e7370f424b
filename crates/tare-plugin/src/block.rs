//! What is remembered of each translated block, and what happens when one starts.

use crate::counts::{self, Kind};
use crate::place::Place;
use crate::region::State;
use crate::{STATE, guest};
use std::cell::Cell;
use std::ffi::{c_uint, c_void};

/// A run of instructions that QEMU translates, and enters, as a whole.
pub struct Block {
    /// Whose it is.
    pub place: Place,
    /// Its first address.
    pub start: u64,
    /// Its last instruction asks the next privilege for something: what follows is no fault.
    pub calls: bool,
    /// The constant that it puts into AX last.
    pub ax: Option<u32>,
    /// It is what a host goes on with when its guest has exited.
    pub after_guest: bool,
    /// What is entered here, once that is known.
    pub entry: Cell<Option<Kind>>,
    /// The cache lines that it is fetched from, virtual and in the host; empty without the model.
    pub lines: Vec<(u64, u64)>,
}

/// What QEMU calls when the block in `data` starts.
pub extern "C" fn started(_cpu: c_uint, data: *mut c_void) {
    // SAFETY: translation passes a block that lives for ever.
    let block = unsafe { &*data.cast::<Block>() };
    STATE.with(|state| {
        if let Some(state) = state {
            state.start(block);
        }
    });
}

impl State {
    #[inline(always)]
    fn start(&mut self, block: &Block) {
        self.ax.start(block.ax);
        if block.after_guest {
            guest::left(self);
        } else {
            self.cross(block);
        }
        self.last = (block.place, block.calls);
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
        let (from, calls) = self.last;
        let up = from < block.place && !block.place.is_user();
        if up && !calls && block.entry.get().is_none() {
            block.entry.set(Some(*self.entries.entry(block.start).or_insert(Kind::OtherEntries)));
        }
        let Some(kind) = block.entry.get() else { return };
        if let Some(seen) = &mut self.learning {
            *seen.entry(block.start).or_insert(0) += 1;
        }
        // A kind that was learned after this block was: ask again, entries are rare.
        let kind = self.entries.get(&block.start).copied().unwrap_or(kind);
        counts::bump(counts::of(block.place, kind));
    }
}
