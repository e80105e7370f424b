//! Who called what: a tree of the functions of kernels and hypervisors, from where they are entered.
//!
//! A call is known by its instruction, and its end by the address that it returns to. That address may be another one for two reasons. A
//! retpoline (`call; mov %rax,(%rsp); ret`) jumps to a function by a return; its own call, like those that only fill a processor's return stack,
//! goes to the next few bytes. And a kernel may have switched to another task, with a stack of its own: the stack that is left is kept until
//! something returns to its last caller.

use crate::block::Ends;
use crate::place::Place;
use std::collections::HashMap;

/// Most nodes of the tree; a call beyond them counts as its caller's.
const MOST: usize = 1 << 16;

/// The deepest stack that is followed.
const DEEPEST: usize = 200;

/// Most stacks that are kept for tasks that do not run.
const PARKED: usize = 64;

/// Bytes between what a retpoline calls and what that would return to, at most.
const RETPOLINE: u64 = 32;

/// Blocks from a retpoline's own call to its return, at most.
const BLOCKS: u8 = 3;

/// A node of the tree, by its number. The first ones are the places, in the order of [`Place::ALL`].
pub type Node = u32;

/// A function that was called by another one, or was entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Called {
    pub parent: Node,
    pub place: Place,
    /// Where it begins; 0 of a place.
    pub start: u64,
}

/// The tree.
pub struct Tree {
    pub nodes: Vec<Called>,
    children: HashMap<(Node, u64), Node>,
}

impl Default for Tree {
    fn default() -> Tree {
        let place = |place: Place| Called { parent: place as Node, place, start: 0 };
        Tree { nodes: Place::ALL.map(place).to_vec(), children: HashMap::new() }
    }
}

impl Tree {
    fn child(&mut self, parent: Node, start: u64) -> Node {
        if let Some(known) = self.children.get(&(parent, start)) {
            return *known;
        }
        if self.nodes.len() >= MOST {
            return parent;
        }
        let place = self.nodes[parent as usize].place;
        self.nodes.push(Called { parent, place, start });
        let node = (self.nodes.len() - 1) as Node;
        self.children.insert((parent, start), node);
        node
    }
}

#[derive(Clone, Copy)]
struct Frame {
    node: Node,
    /// 0 of what was not called.
    returns_to: u64,
}

/// The stack of one place, and those of its tasks that do not run.
#[derive(Default)]
pub struct Stack {
    frames: Vec<Frame>,
    parked: Vec<Vec<Frame>>,
    /// Blocks in which a return would be a retpoline's.
    retpoline: u8,
}

impl Stack {
    /// The node that is executed.
    pub fn node(&self, place: Place) -> Node {
        self.frames.last().map_or(place as Node, |frame| frame.node)
    }

    /// The place is entered at `start` from less privileged code, which leaves nothing of what was called there before.
    pub fn enter(&mut self, tree: &mut Tree, place: Place, start: u64) {
        self.frames.clear();
        self.push(tree, place, start, 0);
    }

    /// A block starts at `start` after one of the same place that ended so.
    #[inline(always)]
    pub fn goes_on(&mut self, tree: &mut Tree, place: Place, ended: Ends, start: u64) {
        self.retpoline = self.retpoline.saturating_sub(1);
        match ended {
            Ends::Call(returns_to) if start.wrapping_sub(returns_to) < RETPOLINE => {
                self.retpoline = BLOCKS;
            }
            Ends::Call(returns_to) => {
                self.retpoline = 0;
                self.push(tree, place, start, returns_to);
            }
            Ends::Return => self.returns(tree, place, start),
            Ends::Otherwise => {}
        }
    }

    fn push(&mut self, tree: &mut Tree, place: Place, start: u64, returns_to: u64) {
        if self.frames.len() >= DEEPEST {
            self.frames.clear();
        }
        let node = tree.child(self.node(place), start);
        self.frames.push(Frame { node, returns_to });
    }

    fn returns(&mut self, tree: &mut Tree, place: Place, to: u64) {
        if let Some(at) = self.frames.iter().rposition(|frame| frame.returns_to == to) {
            return self.frames.truncate(at);
        }
        // What called the retpoline has called what that jumps to.
        if self.retpoline > 0
            && let Some(top) = self.frames.last_mut()
        {
            top.node = tree.child(tree.nodes[top.node as usize].parent, to);
            return;
        }
        let left = std::mem::take(&mut self.frames);
        let returns = |stack: &Vec<Frame>| stack.last().is_some_and(|top| top.returns_to == to);
        match self.parked.iter().rposition(returns) {
            Some(at) => {
                self.frames = self.parked.swap_remove(at);
                self.frames.pop();
            }
            None => self.push(tree, place, to, 0),
        }
        if !left.is_empty() {
            if self.parked.len() >= PARKED {
                self.parked.remove(0);
            }
            self.parked.push(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place::Kernel;

    /// The starts of all functions that are being executed, the outermost first.
    fn path(stack: &Stack, tree: &Tree) -> Vec<u64> {
        let mut starts = Vec::new();
        let mut node = stack.node(PLACE);
        while tree.nodes[node as usize].parent != node {
            starts.insert(0, tree.nodes[node as usize].start);
            node = tree.nodes[node as usize].parent;
        }
        starts
    }

    #[test]
    fn calls_go_down_and_returns_up() {
        let (mut stack, mut tree) = (Stack::default(), Tree::default());
        stack.enter(&mut tree, PLACE, 0x100);
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x108), 0x200);
        stack.goes_on(&mut tree, PLACE, Ends::Otherwise, 0x220);
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x228), 0x300);
        assert_eq!(path(&stack, &tree), [0x100, 0x200, 0x300]);
        stack.goes_on(&mut tree, PLACE, Ends::Return, 0x228);
        assert_eq!(path(&stack, &tree), [0x100, 0x200]);
        // A function that jumps to another one returns to the first one's caller.
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x230), 0x300);
        stack.goes_on(&mut tree, PLACE, Ends::Return, 0x108);
        assert_eq!(path(&stack, &tree), [0x100]);
        stack.enter(&mut tree, PLACE, 0x900);
        assert_eq!(path(&stack, &tree), [0x900]);
        assert_eq!(tree.nodes.len(), Place::ALL.len() + 4, "a path has one node");
    }

    #[test]
    fn a_retpoline_calls_what_it_jumps_to() {
        let (mut stack, mut tree) = (Stack::default(), Tree::default());
        stack.enter(&mut tree, PLACE, 0x100);
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x108), 0x800); // the thunk
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x805), 0x807); // its own call
        stack.goes_on(&mut tree, PLACE, Ends::Return, 0x200);
        assert_eq!(path(&stack, &tree), [0x100, 0x200]);
        stack.goes_on(&mut tree, PLACE, Ends::Return, 0x108);
        assert_eq!(path(&stack, &tree), [0x100]);
    }

    #[test]
    fn a_task_that_runs_again_has_its_own_callers() {
        let (mut stack, mut tree) = (Stack::default(), Tree::default());
        stack.enter(&mut tree, PLACE, 0x100);
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x108), 0x200); // waits
        for at in 0..8 {
            stack.goes_on(&mut tree, PLACE, Ends::Call(0x210 + 8 * at), 0x212 + 8 * at); // fills the return stack
        }
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x288), 0x700); // the scheduler
        stack.goes_on(&mut tree, PLACE, Ends::Return, 0x640); // in another task
        assert_eq!(path(&stack, &tree), [0x640], "its callers are not known");
        stack.goes_on(&mut tree, PLACE, Ends::Call(0x648), 0x700);
        stack.goes_on(&mut tree, PLACE, Ends::Return, 0x288);
        assert_eq!(path(&stack, &tree), [0x100, 0x200]);
    }

    #[test]
    fn neither_stacks_nor_the_tree_grow_without_end() {
        let (mut stack, mut tree) = (Stack::default(), Tree::default());
        for at in 1..=2 * MOST as u64 {
            stack.goes_on(&mut tree, PLACE, Ends::Call(at << 20), at << 8);
            stack.goes_on(&mut tree, PLACE, Ends::Return, at << 9 | 1);
        }
        assert!(stack.frames.len() <= DEEPEST && stack.parked.len() <= PARKED);
        assert_eq!(tree.nodes.len(), MOST);
    }
}
