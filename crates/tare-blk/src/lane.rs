//! What one queue of the back end has in flight, and how a request passes from the ring to the device and back.

use crate::device::{Action, Begun, Device, Io, Segment};
use crate::request::{self, Limits, Memory, Wish};
use std::io;
use std::sync::Arc;
use vhost_user_backend::VringState;
use virtio_bindings::virtio_blk::{
    VIRTIO_BLK_ID_BYTES, VIRTIO_BLK_S_IOERR, VIRTIO_BLK_S_OK, VIRTIO_BLK_S_UNSUPP,
};
use virtio_queue::QueueT;
use vm_memory::{Bytes, GuestAddress, GuestAddressSpace, GuestMemoryAtomic};

/// The driver's memory, which it may exchange for another.
pub type Space = GuestMemoryAtomic<Memory>;

/// The driver's memory as it is now.
type Shared = <Space as GuestAddressSpace>::T;

/// A ring as vhost-user describes it.
pub type RingState = VringState<Space>;

/// Where a device says who it is.
const NAME: &[u8; VIRTIO_BLK_ID_BYTES as usize] = b"tare-blk\0\0\0\0\0\0\0\0\0\0\0\0";

/// After so many requests that are over at once, a driver that sleeps is woken, while the others are worked on: were it woken
/// after all of them, only one of the two ends would ever work. Two brought most of 1, 2, 4, 8 and 16.
const EARLY: u16 = 2;

/// A request that the device answers later.
struct Flight {
    head: u16,
    status: GuestAddress,
    /// What the device writes into the driver's memory, the status included.
    written: u32,
    /// Their memory is what the device's request names.
    _segments: Vec<Segment>,
    memory: Arc<Memory>,
}

/// One queue of the back end.
pub struct Lane {
    device: Box<dyn Device>,
    limits: Limits,
    flights: Vec<Option<Flight>>,
    free: Vec<u32>,
    segments: Vec<Segment>,
    done: Vec<(u32, bool)>,
}

// The device goes first: it waits for what the kernel still writes into the memory of `flights`.
impl Lane {
    /// A queue of `device` with at most `depth` requests in flight: a driver that keeps to the ring has no more.
    pub fn new(device: Box<dyn Device>, limits: Limits, depth: u32) -> Self {
        Self {
            device,
            limits,
            flights: (0..depth).map(|_| None).collect(),
            free: (0..depth).rev().collect(),
            segments: Vec::new(),
            done: Vec::new(),
        }
    }

    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Whether no request is in flight.
    pub fn idle(&self) -> bool {
        self.free.len() == self.flights.len()
    }

    /// Whether no more requests are taken before one has finished.
    pub fn full(&self) -> bool {
        self.free.is_empty()
    }

    /// Takes what the driver has made available, at most a ring of it, and begins it: how many requests.
    pub fn take(&mut self, memory: &Shared, ring: &mut RingState) -> io::Result<u16> {
        let most = ring.get_queue().size();
        // A driver without event index would be told each time, whether it sleeps or not.
        let early = ring.get_queue().event_idx_enabled();
        let mut taken = 0;
        while taken < most && !self.full() {
            let Some(chain) = ring.get_queue_mut().pop_descriptor_chain(&**memory) else { break };
            taken += 1;
            let head = chain.head_index();
            let wanted = request::read(memory, chain, &self.limits, &mut self.segments);
            let written = match wanted {
                // A chain without a place for its status is handed back as it is.
                None => Some(0),
                Some((wish, status)) => {
                    let keep = || memory.clone().into_inner();
                    self.begin(memory, head, &wish, status, keep)
                }
            };
            if let Some(written) = written {
                used(ring, memory, head, written);
                if early && taken.is_multiple_of(EARLY) {
                    wake(memory, ring);
                }
            }
        }
        self.device.flush()?;
        Ok(taken)
    }

    /// Begins a request; `Some` of the bytes written if it is over already.
    fn begin(
        &mut self,
        memory: &Memory,
        head: u16,
        wish: &Wish,
        status: GuestAddress,
        keep: impl Fn() -> Arc<Memory>,
    ) -> Option<u32> {
        let Wish::Io { action, offset, bytes } = *wish else {
            let (code, written) = self.simple(memory, wish);
            return Some(written + answer(memory, status, code));
        };
        let written = if action == Action::Read { bytes } else { 0 };
        let token = *self.free.last()?;
        let io = Io { action, offset, bytes, segments: &self.segments };
        // SAFETY: the segments are memory of `memory`, which the flight keeps together with them until the device has named
        // the token; `device` is dropped before `flights` are.
        match unsafe { self.device.begin(token, &io) } {
            Begun::Done(sound) => Some(written + answer(memory, status, code(sound))),
            Begun::Later => {
                self.free.pop();
                self.flights[token as usize] = Some(Flight {
                    head,
                    status,
                    written,
                    _segments: std::mem::take(&mut self.segments),
                    memory: keep(),
                });
                None
            }
        }
    }

    /// What needs no device: the status, and the bytes written before it.
    fn simple(&self, _memory: &Memory, wish: &Wish) -> (u32, u32) {
        match wish {
            Wish::Name => {
                let mut left: &[u8] = NAME;
                for segment in &self.segments {
                    let count = left.len().min(segment.bytes());
                    // SAFETY: the segment was looked up in the driver's memory, which is borrowed here, and is that long.
                    unsafe { std::ptr::copy_nonoverlapping(left.as_ptr(), segment.base(), count) };
                    left = &left[count..];
                }
                (VIRTIO_BLK_S_OK, (NAME.len() - left.len()) as u32)
            }
            Wish::Unknown => (VIRTIO_BLK_S_UNSUPP, 0),
            Wish::Wrong | Wish::Io { .. } => (VIRTIO_BLK_S_IOERR, 0),
        }
    }

    /// Tells the driver what has finished.
    pub fn give_back(&mut self, ring: &mut RingState) -> io::Result<()> {
        self.done.clear();
        self.device.finished(&mut self.done)?;
        for (token, sound) in self.done.drain(..) {
            let Some(flight) = self.flights[token as usize].take() else { continue };
            self.free.push(token);
            let status = answer(&flight.memory, flight.status, code(sound));
            used(ring, &flight.memory, flight.head, flight.written + status);
        }
        Ok(())
    }
}

/// Wakes the driver if it asked for that. A driver that cannot be woken looks by itself, or it has gone.
pub fn wake(memory: &Memory, ring: &mut RingState) {
    if ring.get_queue_mut().needs_notification(memory).unwrap_or(false) {
        let _ = ring.signal_used_queue();
    }
}

fn code(sound: bool) -> u32 {
    if sound { VIRTIO_BLK_S_OK } else { VIRTIO_BLK_S_IOERR }
}

/// Writes a status: how many bytes that were. A driver that has put it outside of its memory goes without.
fn answer(memory: &Memory, status: GuestAddress, code: u32) -> u32 {
    u32::from(memory.write_obj(code as u8, status).is_ok())
}

/// A head beyond the ring, or a ring outside of the memory, is the driver's loss.
fn used(ring: &mut RingState, memory: &Memory, head: u16, written: u32) {
    let _ = ring.get_queue_mut().add_used(memory, head, written);
}
