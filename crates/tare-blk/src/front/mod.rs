//! The front end: what a guest's driver does, without a guest.

mod bare;
mod link;
mod load;
mod ring;
mod shared;
mod split;
mod virtio;

pub use bare::Bare;
pub use link::{Disk, Wanted, connect};
pub use load::{Load, Phase, Tally, drive, latencies};
pub use ring::{Asked, Ring, Shape};
pub use shared::{BASE, Shared};
pub use split::{Part, split};
pub use virtio::{Ends, Virtio};

use crate::error::Error;
use std::time::Duration;

/// The way of requests to a device and back: through a ring, or without one.
pub trait Way {
    /// Asks for `slot`'s block at `offset`. Every slot has memory of its own and one request at a time.
    fn begin(&mut self, slot: usize, offset: u64) -> Result<(), Error>;

    /// Sends off what was begun, as much as fits.
    fn send(&mut self) -> Result<(), Error>;

    /// Adds the slots whose requests have finished since.
    ///
    /// # Errors
    /// Requests that failed, answers that cannot be.
    fn finished(&mut self, into: &mut Vec<usize>) -> Result<(), Error>;

    /// Waits until something may have finished, at most `patience`.
    ///
    /// # Errors
    /// [`Error::Ended`] when the other end is gone, [`Error::Silent`] after that time.
    fn wait(&mut self, patience: Duration) -> Result<(), Error>;

    /// What was done so far.
    fn effort(&self) -> Effort {
        Effort::default()
    }
}

/// What it took beside time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Requests in the ring: more than were asked for where these had to be split.
    pub sent: u64,
    /// How often the back end was woken.
    pub kicks: u64,
    /// How often the front end waited.
    pub waits: u64,
}

impl Effort {
    /// What came after `before`.
    pub fn since(self, before: Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            kicks: self.kicks - before.kicks,
            waits: self.waits - before.waits,
        }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            kicks: self.kicks + other.kicks,
            waits: self.waits + other.waits,
        }
    }
}
