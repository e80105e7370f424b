//! The driver's side of a split virtqueue: every request has an entry with descriptors of its own.

use super::shared::{BASE, Shared};
use crate::error::Error;
use crate::request::HEADER;
use crate::settings::AROUND;
use std::sync::atomic::{Ordering, fence};
use virtio_bindings::virtio_ring::{
    VRING_AVAIL_F_NO_INTERRUPT, VRING_DESC_F_INDIRECT, VRING_DESC_F_NEXT, VRING_DESC_F_WRITE,
    VRING_USED_F_NO_NOTIFY,
};

/// Bytes of a descriptor.
const DESCRIPTOR: usize = 16;

/// How a ring is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Descriptors of the ring.
    pub size: u16,
    /// Segments of a request at most.
    pub segments: u16,
    /// Whether a request's descriptors lie in a table of their own.
    pub indirect: bool,
    /// Whether the ends say from which entry on they want to be woken.
    pub event_index: bool,
}

impl Shape {
    fn longest(&self) -> u16 {
        self.segments + AROUND
    }

    /// Requests that fit into the ring at a time.
    pub fn entries(&self) -> u16 {
        if self.indirect { self.size } else { self.size / self.longest() }
    }

    /// Memory that it takes.
    pub fn bytes(&self) -> usize {
        let table = usize::from(self.longest()) * DESCRIPTOR;
        let tables = if self.indirect { usize::from(self.size) * table } else { 0 };
        usize::from(self.size) * (DESCRIPTOR + 2 + 8) + tables + 64
    }
}

/// What a request consists of, as places in the shared memory.
pub struct Asked<'a> {
    /// Its header.
    pub header: usize,
    /// Its data.
    pub data: &'a [(usize, u32)],
    /// Whether the device writes the data.
    pub fills: bool,
    /// Its status.
    pub status: usize,
}

/// The ring of one queue.
pub struct Ring {
    shape: Shape,
    descriptors: usize,
    available: usize,
    used: usize,
    tables: usize,
    next: u16,
    /// Up to where the device was told.
    told: u16,
    /// Up to where its answers were read.
    seen: u16,
    free: Vec<u16>,
    in_flight: Vec<bool>,
}

impl Ring {
    /// A ring in this memory, empty.
    ///
    /// # Errors
    /// [`Error::Setting`] if no request fits into it.
    pub fn new(shape: Shape, memory: &mut Shared) -> Result<Self, Error> {
        if shape.entries() == 0 {
            return Err(Error::Setting(format!(
                "a request of {} segments takes {} descriptors, and the ring has {}: a longer one, or indirect descriptors",
                shape.segments,
                shape.longest(),
                shape.size
            )));
        }
        let size = usize::from(shape.size);
        let table = usize::from(shape.longest()) * DESCRIPTOR;
        let tables = if shape.indirect { size * table } else { 0 };
        Ok(Self {
            descriptors: memory.give(size * DESCRIPTOR, 16),
            available: memory.give(6 + 2 * size, 2),
            used: memory.give(6 + 8 * size, 4),
            tables: memory.give(tables, 16),
            shape,
            next: 0,
            told: 0,
            seen: 0,
            free: (0..shape.entries()).rev().collect(),
            in_flight: vec![false; usize::from(shape.entries())],
        })
    }

    /// Descriptors, available ring and used ring as the back end sees them.
    pub fn addresses(&self) -> [u64; 3] {
        [self.descriptors, self.available, self.used].map(|place| BASE + place as u64)
    }

    /// Its number of descriptors.
    pub fn size(&self) -> u16 {
        self.shape.size
    }

    /// Makes a request available and says which entry it took; none if the ring is full.
    pub fn offer(&mut self, memory: &Shared, asked: &Asked<'_>) -> Option<u16> {
        let entry = self.free.pop()?;
        let longest = self.shape.longest();
        // Of an entry without a table, descriptors are numbered as in the ring.
        let (table, first) = if self.shape.indirect {
            (self.tables + usize::from(entry) * usize::from(longest) * DESCRIPTOR, 0)
        } else {
            (self.descriptors, entry * longest)
        };
        let place = |index: u16| table + usize::from(first + index) * DESCRIPTOR;
        let flags =
            if asked.fills { VRING_DESC_F_NEXT | VRING_DESC_F_WRITE } else { VRING_DESC_F_NEXT };
        memory.put(place(0), descriptor(asked.header, HEADER, VRING_DESC_F_NEXT, first + 1));
        for (index, &(data, bytes)) in (1u16..).zip(asked.data) {
            memory.put(place(index), descriptor(data, bytes, flags, first + index + 1));
        }
        let last = 1 + asked.data.len() as u16;
        memory.put(place(last), descriptor(asked.status, 1, VRING_DESC_F_WRITE, 0));
        let head = if self.shape.indirect {
            let bytes = u32::from(last + 1) * DESCRIPTOR as u32;
            let at = self.descriptors + usize::from(entry) * DESCRIPTOR;
            memory.put(at, descriptor(table, bytes, VRING_DESC_F_INDIRECT, 0));
            entry
        } else {
            first
        };
        memory.put(self.available + 4 + 2 * usize::from(self.next % self.shape.size), head);
        self.next = self.next.wrapping_add(1);
        self.in_flight[usize::from(entry)] = true;
        Some(entry)
    }

    /// Shows the device what was offered, and says whether it wants to be woken for that.
    pub fn publish(&mut self, memory: &Shared) -> bool {
        if self.told == self.next {
            return false;
        }
        memory.atomic(self.available + 2).store(self.next, Ordering::Release);
        // The device must see this before its wish to be woken is read.
        fence(Ordering::SeqCst);
        let before = std::mem::replace(&mut self.told, self.next);
        if self.shape.event_index {
            let event = memory.atomic(self.used + 4 + 8 * usize::from(self.shape.size));
            let wanted = event.load(Ordering::Relaxed);
            self.next.wrapping_sub(wanted).wrapping_sub(1) < self.next.wrapping_sub(before)
        } else {
            let flags = memory.atomic(self.used).load(Ordering::Relaxed);
            u32::from(flags) & VRING_USED_F_NO_NOTIFY == 0
        }
    }

    /// The entry of the next answer, if there is one.
    ///
    /// # Errors
    /// [`Error::Nonsense`] for an answer to what was not asked.
    pub fn answer(&mut self, memory: &Shared) -> Result<Option<u16>, Error> {
        let used = memory.atomic(self.used + 2).load(Ordering::Acquire);
        if used == self.seen {
            return Ok(None);
        }
        let at = self.used + 4 + 8 * usize::from(self.seen % self.shape.size);
        let head: u32 = memory.get(at);
        let longest = if self.shape.indirect { 1 } else { u32::from(self.shape.longest()) };
        let entry = (head / longest) as usize;
        if !head.is_multiple_of(longest) || !self.in_flight.get(entry).copied().unwrap_or(false) {
            return Err(Error::Nonsense(format!("descriptor {head}")));
        }
        self.in_flight[entry] = false;
        self.free.push(entry as u16);
        self.seen = self.seen.wrapping_add(1);
        Ok(Some(entry as u16))
    }

    /// Asks to be woken for the next answer, or not to be. True if there is one already.
    pub fn watch(&self, memory: &Shared, wanted: bool) -> bool {
        if self.shape.event_index {
            let event = memory.atomic(self.available + 4 + 2 * usize::from(self.shape.size));
            // Without a wish the event stays where it was, behind what has happened.
            if wanted {
                event.store(self.seen, Ordering::Relaxed);
            }
        } else {
            let flags = if wanted { 0 } else { VRING_AVAIL_F_NO_INTERRUPT as u16 };
            memory.atomic(self.available).store(flags, Ordering::Relaxed);
        }
        // An answer that the device wrote before it saw the wish must be seen now.
        fence(Ordering::SeqCst);
        memory.atomic(self.used + 2).load(Ordering::Acquire) != self.seen
    }
}

/// A descriptor as it lies in memory.
fn descriptor(place: usize, bytes: u32, flags: u32, next: u16) -> u128 {
    let address = u128::from(BASE + place as u64);
    (address | u128::from(bytes) << 64 | u128::from(flags) << 96 | u128::from(next) << 112).to_le()
}
