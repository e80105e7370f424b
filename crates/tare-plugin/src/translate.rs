//! The instrumentation that is added to each block when QEMU translates it.

use crate::api::{self, Insn};
use crate::block::{Block, Ends};
use crate::callbacks;
use crate::cell::OneCpu;
use crate::counts::{self, Event};
use crate::decode::{Special, special};
use crate::place::Place;
use crate::shape::LINE;
use crate::state::{self, State};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;

/// Blocks by first address, place in the host of the first and last instruction, and length: code
/// is translated again and again, and what is remembered of it must live for ever.
type Key = (u64, u64, u64, usize);

static BLOCKS: OneCpu<Option<HashMap<Key, &'static Block>>> = OneCpu::new(None);
static AFTER_GUEST: OneCpu<Option<HashSet<u64>>> = OneCpu::new(None);

/// What QEMU calls for each block that it translates.
pub extern "C" fn translated(_id: api::Id, block: *mut c_void) {
    // SAFETY: it is what QEMU passes.
    let block = unsafe { api::Block::new(block) };
    let insns = block.insns();
    state::with(|state| {
        let remembered = remember(state, &insns);
        block.on_start(callbacks::started, remembered);
    });
}

/// Adds what counts each instruction; what is remembered of the block.
fn remember(state: &mut State, insns: &[Insn]) -> &'static Block {
    let (start, start_in_host) =
        insns.first().map_or((0, 0), |insn| (insn.address(), insn.place_in_host()));
    let mut found = BlockScan::default();
    for insn in insns {
        let place = state.place(insn.address(), insn.place_in_host());
        if place == Place::Hypervisor
            && let Some(model) = &mut state.model
        {
            model.hypervisor_seen();
        }
        instrument(state.model.is_some(), insn, place, &mut found);
    }
    let ends = |insn: Option<&Insn>| insn.map_or(0, Insn::place_in_host);
    let key = (start, start_in_host, ends(insns.last()), insns.len());
    let fresh = || -> &'static Block {
        let after_guest = is_after_guest(start);
        let entry = Cell::new(state.entries.get(&start).copied());
        let lines = if state.model.is_some() { lines(insns) } else { Vec::new() };
        let place = state.place(start, start_in_host);
        let BlockScan { calls, ax, ends } = found;
        Box::leak(Box::new(Block { place, start, calls, ax, after_guest, ends, entry, lines }))
    };
    BLOCKS.with(|blocks| *blocks.get_or_insert_default().entry(key).or_insert_with(fresh))
}

/// What the instructions so far have shown of their block.
struct BlockScan {
    /// The last one asks the next privilege for something.
    calls: bool,
    /// The constant that was put into AX last.
    ax: Option<u32>,
    ends: Ends,
}

impl Default for BlockScan {
    fn default() -> BlockScan {
        BlockScan { calls: false, ax: None, ends: Ends::Otherwise }
    }
}

fn instrument(modelled: bool, insn: &Insn, place: Place, found: &mut BlockScan) {
    let what = special(&insn.bytes());
    found.calls = matches!(what, Some(Special::SystemCall | Special::VmCall));
    if let Some(Special::Mark(code)) = what {
        return insn.on_execution(callbacks::mark, code.into());
    }
    insn.add(counts::counter(place, Event::Instructions), 1);
    insn.count_accesses(counts::counter(place, Event::Accesses));
    if modelled {
        insn.on_access(callbacks::accessed, place as usize);
    }
    let Some(what) = what else { return };
    let add = |kind| insn.add(counts::counter(place, kind), 1);
    match what {
        Special::SystemCall if place.is_user() => add(Event::Syscalls),
        Special::SystemCall if found.ax.is_some() => insn.add(counts::hypercall(found.ax), 1),
        Special::SystemCall => insn.on_execution(callbacks::called, 0),
        Special::VmCall => add(Event::VmCalls),
        Special::Invlpg => add(Event::Invlpg),
        Special::PortIo => add(Event::PortIo),
        Special::Msr => add(Event::Msr),
        Special::Halt => add(Event::Halts),
        Special::Cr3Write => {
            add(Event::Cr3Writes);
            insn.on_execution(callbacks::flushed, 0);
        }
        Special::Cr4Write => insn.on_execution(callbacks::flushed, 1),
        Special::EnterGuest => enters_guest(insn),
        Special::Call => found.ends = Ends::Call(insn.address() + insn.bytes().len() as u64),
        Special::Return => found.ends = Ends::Return,
        Special::SetAx(value) => found.ax = Some(value),
        Special::Mark(_) => {}
    }
}

/// Notes that `insn` enters a guest, and where its host goes on.
pub fn enters_guest(insn: &Insn) {
    let next = insn.address() + insn.bytes().len() as u64;
    AFTER_GUEST.with(|set| set.get_or_insert_default().insert(next));
    insn.on_execution(callbacks::entered, 0);
}

/// Whether a host goes on at `address` when its guest has exited.
pub fn is_after_guest(address: u64) -> bool {
    AFTER_GUEST.with(|set| set.as_ref().is_some_and(|set| set.contains(&address)))
}

/// The cache lines that the block is fetched from.
fn lines(insns: &[Insn]) -> Vec<(u64, u64)> {
    let mut lines: Vec<(u64, u64)> = Vec::new();
    for insn in insns {
        let address = insn.address();
        let host = insn.place_in_host();
        if lines.last().is_none_or(|(last, _)| last / LINE != address / LINE) {
            lines.push((address, if host == 0 { address } else { host }));
        }
    }
    lines
}
