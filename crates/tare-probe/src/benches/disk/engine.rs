//! How requests are made: what every engine can do.

use std::io;

/// A request that has ended: which buffer it was for, and its bytes or its error, negative.
pub type Done = (usize, i64);

pub trait Engine {
    /// What the counter `engine/NAME` calls it.
    fn name(&self) -> &'static str;

    /// Starts a request for buffer `slot` at `offset` of the disk: each by itself, since the kernel makes one
    /// large request of neighbours that it gets together, and then it is not the block's size that is weighed.
    fn push(&mut self, slot: usize, offset: u64) -> io::Result<()>;

    /// Waits until a request has ended, and adds all that have to `done`.
    fn wait(&mut self, done: &mut Vec<Done>) -> io::Result<()>;
}
