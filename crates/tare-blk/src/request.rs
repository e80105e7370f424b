//! From a chain of descriptors, which a guest wrote, to a request that can be carried out.

use crate::device::{Action, Segment};
use crate::settings::{SECTOR, Settings};
use virtio_bindings::virtio_blk;
use virtio_queue::DescriptorChain;
use virtio_queue::desc::split::Descriptor;
use vm_memory::{Bytes, GuestAddress, GuestMemoryBackend, GuestMemoryMmap};

/// The memory that the driver shares.
pub type Memory = GuestMemoryMmap<()>;

/// Bytes of a request's header: its type, a reserved word, its sector.
pub const HEADER: u32 = 16;

#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    /// Something for the device.
    Io {
        action: Action,
        /// Where, in bytes.
        offset: u64,
        bytes: u32,
    },
    /// The device's name.
    Name,
    /// What this device does not know.
    Unknown,
    /// What no device can do: beyond its end, longer than it accepts, or in memory that is not there.
    Wrong,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Its size in bytes.
    pub capacity: u64,
    /// Segments of a request at most.
    pub segments: usize,
    /// Bytes of a segment at most.
    pub segment_bytes: u32,
    pub writable: bool,
}

impl Limits {
    /// Those of a device with `capacity` bytes.
    pub fn new(settings: &Settings, capacity: u64, writable: bool) -> Self {
        Self {
            capacity,
            segments: usize::from(settings.segments),
            segment_bytes: settings.segment_bytes,
            writable,
        }
    }
}

/// Reads a chain: what it asks for, and where the status goes. `segments` becomes the request's data.
///
/// Nothing that a chain holds is believed: every address is looked up in `memory`, lengths and numbers are bounded by
/// `limits`, and a chain that runs in a circle ends with its table's length. `None` is a chain that has no place for a status.
pub fn read(
    memory: &Memory,
    mut chain: DescriptorChain<&Memory>,
    limits: &Limits,
    segments: &mut Vec<Segment>,
) -> Option<(Wish, GuestAddress)> {
    segments.clear();
    let header = chain.next().filter(|first| !first.is_write_only() && first.len() == HEADER)?;
    let words: [u8; HEADER as usize] = memory.read_obj(header.addr()).ok()?;
    let kind = u32::from_le_bytes(words[0..4].try_into().ok()?);
    let sector = u64::from_le_bytes(words[8..16].try_into().ok()?);
    // A read's segments are written by the device.
    let fills = kind != virtio_blk::VIRTIO_BLK_T_OUT;
    let mut bytes = 0u32;
    let mut sound = true;
    let mut last = chain.next()?;
    for next in chain {
        let data = std::mem::replace(&mut last, next);
        match segment(memory, &data, limits, fills) {
            Some(found) if segments.len() < limits.segments => segments.push(found),
            _ => sound = false,
        }
        // The length of a chain is below 2^32: see `DescriptorChain::next`.
        bytes = bytes.wrapping_add(data.len());
    }
    let status = Some(last).filter(|last| last.is_write_only() && last.len() == 1)?.addr();
    if !sound {
        return Some((Wish::Wrong, status));
    }
    Some((wish(kind, sector, bytes, limits), status))
}

fn segment(memory: &Memory, data: &Descriptor, limits: &Limits, fills: bool) -> Option<Segment> {
    if data.is_write_only() != fills || data.len() == 0 || data.len() > limits.segment_bytes {
        return None;
    }
    let length = data.len() as usize;
    let slice = GuestMemoryBackend::get_slice(memory, data.addr(), length).ok()?;
    Some(Segment::new(slice.ptr_guard_mut().as_ptr(), length))
}

fn wish(kind: u32, sector: u64, bytes: u32, limits: &Limits) -> Wish {
    let action = match kind {
        virtio_blk::VIRTIO_BLK_T_IN => Action::Read,
        virtio_blk::VIRTIO_BLK_T_OUT => Action::Write,
        virtio_blk::VIRTIO_BLK_T_FLUSH if bytes == 0 => {
            return Wish::Io { action: Action::Flush, offset: 0, bytes: 0 };
        }
        virtio_blk::VIRTIO_BLK_T_GET_ID => return Wish::Name,
        _ => return Wish::Unknown,
    };
    let offset = sector.checked_mul(SECTOR);
    let end = offset.and_then(|offset| offset.checked_add(u64::from(bytes)));
    match (offset, end) {
        (Some(offset), Some(end))
            if end <= limits.capacity
                && bytes > 0
                && u64::from(bytes).is_multiple_of(SECTOR)
                && (action == Action::Read || limits.writable) =>
        {
            Wish::Io { action, offset, bytes }
        }
        _ => Wish::Wrong,
    }
}
