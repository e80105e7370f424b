//! The state, driven by blocks and marks as QEMU would drive it.

use super::*;
use crate::block::Ends;
use crate::calls::{Called, Node};
use std::cell::Cell;
use std::collections::BTreeMap;

const PROBE: u64 = 0x5000_1000;
const USER: u64 = 0x40_0000;
const FAULT: u64 = 0xffff_ffff_8100_0000;
const TIMER: u64 = 0xffff_ffff_8100_1000;

fn state() -> State {
    let config = Config::parse(&["out=unused".into()], Map::default());
    State::new(&config.expect("it is whole"))
}

/// A block at `start`, as translation would remember it.
fn block(start: u64, calls: bool) -> &'static Block {
    let place = Map::default().place(start);
    let (ax, entry, lines) = (None, Cell::new(None), Vec::new());
    let ends = Ends::Otherwise;
    let block = Block { place, start, calls, ax, after_guest: false, ends, entry, lines };
    Box::leak(Box::new(block))
}

/// Spells `value` and then what it is for, as the probe does.
fn says(state: &mut State, value: u64, code: u16) {
    (0..u64::BITS - value.leading_zeros()).for_each(|bit| {
        state.mark((value >> bit & 1) as u16);
    });
    state.mark(code);
}

fn executes(place: Place, instructions: u64) {
    (0..instructions).for_each(|_| counts::bump(counts::counter(place, Event::Instructions)));
}

#[test]
fn a_batch_holds_what_is_executed_between_its_marks() {
    let _alone = counts::ALONE.lock().unwrap();
    let mut state = state();
    says(&mut state, 5, 0x0100); // samples of request 5
    says(&mut state, 2 << 1, 0x0102); // of its term 2
    executes(Place::Kernel, 1000); // preparing
    says(&mut state, 10, 0x0103); // ten operations
    let probe = block(PROBE, false);
    let kernel = block(FAULT, false);
    state.start(probe);
    executes(Place::Probe, 40); // before the mark
    says(&mut state, 0, 0x0200);
    executes(Place::Probe, 4);
    for instructions in [300, 21] {
        state.start(kernel);
        executes(Place::Kernel, instructions);
        state.start(probe);
        executes(Place::Probe, 1);
    }
    says(&mut state, 0, 0x0201);
    executes(Place::Probe, 40);
    state.start(kernel);
    executes(Place::Kernel, 1000); // tidying
    let region = &state.regions.0[&(5, 2)];
    let entered = Called { parent: Place::Kernel as Node, place: Place::Kernel, start: FAULT };
    let at = state.profile.tree.nodes.iter().position(|node| *node == entered).unwrap();
    let by_address = [((Place::Probe as Node, PROBE), 6), ((at as Node, FAULT), 321)];
    assert_eq!(region.addresses.executed, BTreeMap::from(by_address));
    assert_eq!(region.addresses.entered, BTreeMap::from([((Place::Kernel, FAULT), 2)]));
    let of = |place| region.counts[counts::index(place, Event::Instructions)];
    assert_eq!((region.ops, of(Place::Kernel), of(Place::Probe)), (10, 321, 6));
    assert!(!state.misplaced);
}

#[test]
fn operations_that_are_told_after_a_batch_are_that_batchs() {
    let _alone = counts::ALONE.lock().unwrap();
    let mut state = state();
    says(&mut state, 5, 0x0100);
    says(&mut state, 0, 0x0200);
    executes(Place::Kernel, 50);
    says(&mut state, 0, 0x0201);
    assert!(state.regions.0.is_empty(), "nobody has said yet how many they were");
    executes(Place::Kernel, 7);
    says(&mut state, 25, 0x0104);
    let region = &state.regions.0[&(5, 0)];
    assert_eq!(region.ops, 25);
    assert_eq!(region.counts[counts::index(Place::Kernel, Event::Instructions)], 50);
    assert!(state.misplaced, "the marks came from nowhere in the probe");
}

#[test]
fn an_entry_from_above_that_nobody_called_for_is_a_fault_or_an_interrupt() {
    let _alone = counts::ALONE.lock().unwrap();
    let mut state = state();
    let entries = |kind| counts::snapshot()[counts::index(Place::Kernel, kind)];
    let before = [Event::PageFaults, Event::OtherEntries].map(entries);
    says(&mut state, 0, 0x0300); // the probe touches fresh pages
    for kernel in [FAULT, TIMER, FAULT, FAULT] {
        state.start(block(USER, false));
        state.start(block(kernel, false));
    }
    says(&mut state, 0, 0x0301);
    state.start(block(USER, true)); // a system call is no fault
    state.start(block(0xffff_ffff_8200_0000, false));
    for kernel in [FAULT, TIMER] {
        state.start(block(USER, false));
        state.start(block(kernel, false));
    }
    let after = [Event::PageFaults, Event::OtherEntries].map(entries);
    assert_eq!([after[0] - before[0], after[1] - before[1]], [1, 5], "four while it learned");
}
