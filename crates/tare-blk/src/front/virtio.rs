//! The way through a ring: blocks are split as the device demands, and wait where the ring is full.

use super::load::Load;
use super::ring::{Asked, Ring, Shape};
use super::shared::Shared;
use super::split::split;
use super::{Effort, Way};
use crate::error::Error;
use crate::settings::{PAGE, SECTOR};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use virtio_bindings::virtio_blk::{VIRTIO_BLK_T_IN, VIRTIO_BLK_T_OUT};
use vmm_sys_util::eventfd::EventFd;

/// A status that no device writes.
const UNWRITTEN: u8 = 0xff;

/// What connects a queue with the back end.
pub struct Ends {
    /// Wakes the back end.
    pub kick: EventFd,
    /// Wakes this end.
    pub call: EventFd,
    /// Ends with the back end.
    pub socket: UnixStream,
}

struct Piece {
    header: usize,
    status: usize,
    data: Vec<(usize, u32)>,
    offset: u32,
    bytes: u32,
}

/// What a queue keeps in the shared memory.
pub struct Plan {
    pub ring: Ring,
    pieces: Vec<Piece>,
    load: Load,
}

impl Plan {
    /// Memory that a queue takes at most: a piece has a sector at least, and a header and a status.
    pub fn bytes(shape: &Shape, load: &Load) -> usize {
        let page = PAGE as usize;
        let block = (load.block as usize).next_multiple_of(page);
        shape.bytes() + load.depth * (block + page + 32 * block / SECTOR as usize) + page
    }

    /// Lays a queue out in the memory.
    ///
    /// # Errors
    /// A ring into which no request fits.
    pub fn new(
        shape: Shape,
        segment_bytes: u32,
        load: Load,
        memory: &mut Shared,
    ) -> Result<Self, Error> {
        let ring = Ring::new(shape, memory)?;
        // A guest's pages lie anywhere: each is a segment.
        let segment = segment_bytes.min(PAGE);
        let parts = split(load.block, u32::from(shape.segments), segment);
        let mut pieces = Vec::with_capacity(load.depth * parts.len());
        for _ in 0..load.depth {
            let block = memory.give(load.block as usize, PAGE as usize);
            for part in &parts {
                let ends = (0..part.bytes).step_by(segment as usize);
                let data = ends
                    .map(|at| (block + (part.offset + at) as usize, segment.min(part.bytes - at)));
                pieces.push(Piece {
                    header: memory.give(16, 16),
                    status: memory.give(1, 1),
                    data: data.collect(),
                    offset: part.offset,
                    bytes: part.bytes,
                });
            }
        }
        Ok(Self { ring, pieces, load })
    }
}

/// One queue of a device behind a ring.
pub struct Virtio {
    memory: Arc<Shared>,
    plan: Plan,
    ends: Ends,
    /// Requests of the ring for each block.
    parts: usize,
    /// Where each slot's block lies, and how many of its pieces are still to come.
    slots: Vec<(u64, usize)>,
    waiting: VecDeque<usize>,
    /// Which piece took each entry of the ring.
    owners: Vec<usize>,
    effort: Effort,
}

impl Virtio {
    /// A queue that the back end knows of.
    pub fn new(memory: Arc<Shared>, plan: Plan, ends: Ends) -> Self {
        let depth = plan.load.depth;
        Self {
            memory,
            parts: plan.pieces.len() / depth,
            slots: vec![(0, 0); depth],
            waiting: VecDeque::new(),
            owners: vec![0; usize::from(plan.ring.size())],
            effort: Effort::default(),
            plan,
            ends,
        }
    }

    /// Offers a piece; false if the ring is full.
    fn offer(&mut self, index: usize) -> bool {
        let piece = &self.plan.pieces[index];
        let write = self.plan.load.write;
        let asked =
            Asked { header: piece.header, data: &piece.data, fills: !write, status: piece.status };
        let sector = (self.slots[index / self.parts].0 + u64::from(piece.offset)) / SECTOR;
        let kind = if write { VIRTIO_BLK_T_OUT } else { VIRTIO_BLK_T_IN };
        let Some(entry) = self.plan.ring.offer(&self.memory, &asked) else { return false };
        // The device sees neither before the ring is published.
        self.memory.put(piece.header, (u128::from(sector) << 64 | u128::from(kind)).to_le());
        self.memory.put(piece.status, UNWRITTEN);
        self.owners[usize::from(entry)] = index;
        self.effort.sent += 1;
        true
    }
}

impl Way for Virtio {
    fn begin(&mut self, slot: usize, offset: u64) -> Result<(), Error> {
        self.slots[slot] = (offset, self.parts);
        self.waiting.extend(slot * self.parts..(slot + 1) * self.parts);
        Ok(())
    }

    fn send(&mut self) -> Result<(), Error> {
        while let Some(&index) = self.waiting.front()
            && self.offer(index)
        {
            self.waiting.pop_front();
        }
        if self.plan.ring.publish(&self.memory) {
            self.effort.kicks += 1;
            self.ends.kick.write(1).map_err(Error::system("waking the back end"))?;
        }
        Ok(())
    }

    fn finished(&mut self, into: &mut Vec<usize>) -> Result<(), Error> {
        while let Some(entry) = self.plan.ring.answer(&self.memory)? {
            let index = self.owners[usize::from(entry)];
            let piece = &self.plan.pieces[index];
            let slot = &mut self.slots[index / self.parts];
            let status: u8 = self.memory.get(piece.status);
            if status != 0 {
                let offset = slot.0 + u64::from(piece.offset);
                return Err(Error::Failed { offset, bytes: piece.bytes, status });
            }
            slot.1 -= 1;
            if slot.1 == 0 {
                into.push(index / self.parts);
            }
        }
        Ok(())
    }

    fn wait(&mut self, patience: Duration) -> Result<(), Error> {
        if self.plan.ring.watch(&self.memory, true) {
            return Ok(());
        }
        self.effort.waits += 1;
        // SAFETY: the event is open for as long as `self` is borrowed.
        let call = unsafe { BorrowedFd::borrow_raw(self.ends.call.as_raw_fd()) };
        let mut watched = [
            PollFd::new(call, PollFlags::POLLIN),
            PollFd::new(self.ends.socket.as_fd(), PollFlags::POLLIN),
        ];
        let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
        let ready = match poll(&mut watched, timeout) {
            Ok(ready) => ready,
            Err(nix::Error::EINTR) => 1,
            Err(why) => return Err(Error::number("waiting for the back end")(why)),
        };
        // The back end says nothing on its socket that was not asked for: readable means closed.
        if watched[1].any() == Some(true) {
            return Err(Error::Ended);
        }
        if ready == 0 {
            return Err(Error::Silent(patience.as_secs()));
        }
        // Nothing to read is no failure: poll was interrupted.
        let _ = self.ends.call.read();
        self.plan.ring.watch(&self.memory, false);
        Ok(())
    }

    fn effort(&self) -> Effort {
        self.effort
    }
}
