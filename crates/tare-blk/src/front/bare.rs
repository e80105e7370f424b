//! The way without a ring: the same device, asked directly. What a ring costs is the difference.

use super::load::Load;
use super::shared::Shared;
use super::{Effort, Way};
use crate::device::{Action, Begun, Device, Io, Segment};
use crate::error::Error;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::time::Duration;

/// One queue of a device of this process.
pub struct Bare {
    /// Goes before the memory, which the kernel may still fill.
    device: Box<dyn Device>,
    _memory: Shared,
    segments: Vec<[Segment; 1]>,
    offsets: Vec<u64>,
    load: Load,
    over: Vec<(u32, bool)>,
    effort: Effort,
}

impl Bare {
    /// A queue for this load.
    pub fn new(device: Box<dyn Device>, load: Load) -> Result<Self, Error> {
        let block = load.block as usize;
        let mut memory = Shared::new(load.depth * block.next_multiple_of(4096))?;
        let segments = (0..load.depth)
            .map(|_| {
                let place = memory.give(block, 4096);
                [Segment::new(memory.address(place, block), block)]
            })
            .collect();
        Ok(Self {
            device,
            _memory: memory,
            segments,
            offsets: vec![0; load.depth],
            load,
            over: Vec::new(),
            effort: Effort::default(),
        })
    }
}

impl Way for Bare {
    fn begin(&mut self, slot: usize, offset: u64) -> Result<(), Error> {
        let action = if self.load.write { Action::Write } else { Action::Read };
        let io = Io { action, offset, bytes: self.load.block, segments: &self.segments[slot] };
        self.offsets[slot] = offset;
        self.effort.sent += 1;
        // SAFETY: the slot's segment is memory of `_memory`, which is dropped after the device.
        if let Begun::Done(sound) = unsafe { self.device.begin(slot as u32, &io) } {
            self.over.push((slot as u32, sound));
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), Error> {
        self.device.flush().map_err(Error::system("beginning requests"))
    }

    fn finished(&mut self, into: &mut Vec<usize>) -> Result<(), Error> {
        self.device.finished(&mut self.over).map_err(Error::system("what has finished"))?;
        for (token, sound) in self.over.drain(..) {
            let slot = token as usize;
            if !sound {
                return Err(Error::Failed {
                    offset: self.offsets[slot],
                    bytes: self.load.block,
                    status: 1,
                });
            }
            into.push(slot);
        }
        Ok(())
    }

    fn wait(&mut self, patience: Duration) -> Result<(), Error> {
        let Some(event) = self.device.event() else { return Ok(()) };
        self.effort.waits += 1;
        let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(event, PollFlags::POLLIN)], timeout) {
            Ok(0) => Err(Error::Silent(patience.as_secs())),
            Ok(_) | Err(nix::Error::EINTR) => Ok(()),
            Err(why) => Err(Error::number("waiting for the device")(why)),
        }
    }

    fn effort(&self) -> Effort {
        self.effort
    }
}
