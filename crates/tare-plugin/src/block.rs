//! What the plugin remembers about each translated block.

use crate::counts::Event;
use crate::place::Place;
use std::cell::Cell;

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// With a call that returns to this address.
    Call(u64),
    Return,
    Otherwise,
}

/// A run of instructions that QEMU translates, and enters, as a whole.
pub struct Block {
    pub place: Place,
    pub start: u64,
    /// Its last instruction asks the next privilege for something: what follows is no fault.
    pub calls: bool,
    /// The constant that it puts into AX last.
    pub ax: Option<u32>,
    /// It is what a host goes on with when its guest has exited.
    pub after_guest: bool,
    /// What is entered here, once that is known.
    pub entry: Cell<Option<Event>>,
    pub ends: Ends,
    /// The cache lines that it is fetched from, virtual and in the host; empty without the model.
    pub lines: Vec<(u64, u64)>,
}
