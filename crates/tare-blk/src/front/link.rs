//! The conversation on the socket: what the device is like, where the memory is, where the rings are.

use super::load::Load;
use super::ring::Shape;
use super::shared::{BASE, Shared};
use super::virtio::{Ends, Plan, Virtio};
use crate::error::Error;
use crate::settings::{PAGE, SECTOR};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use vhost::vhost_user::message::{VhostUserConfigFlags, VhostUserHeaderFlag};
use vhost::vhost_user::{
    Frontend, VhostUserFrontend, VhostUserProtocolFeatures as Protocol,
    VhostUserVirtioFeatures as Features,
};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use virtio_bindings::virtio_blk::{
    VIRTIO_BLK_F_MQ, VIRTIO_BLK_F_RO, VIRTIO_BLK_F_SEG_MAX, VIRTIO_BLK_F_SIZE_MAX,
};
use virtio_bindings::virtio_config::VIRTIO_F_VERSION_1;
use virtio_bindings::virtio_ring::{VIRTIO_RING_F_EVENT_IDX, VIRTIO_RING_F_INDIRECT_DESC};
use vmm_sys_util::eventfd::{EFD_NONBLOCK, EventFd};

/// What the driver would like.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Descriptors of each ring.
    pub ring: u16,
    /// Queues.
    pub queues: u16,
    /// What each queue will ask for; its part of the disk follows from the device.
    pub load: Load,
}

/// A device that is ready.
pub struct Disk {
    /// Its queues and what each is to ask for.
    pub queues: Vec<(Virtio, Load)>,
    /// Ends the device when it is dropped.
    _link: Frontend,
}

struct Offer {
    features: u64,
    capacity: u64,
    segments: u16,
    segment_bytes: u32,
}

/// Sets a device up, within `patience`.
///
/// # Errors
/// [`Error::Refused`] with the step that failed; [`Error::Setting`] if the load does not fit the device.
pub fn connect(socket: UnixStream, wanted: &Wanted, patience: Duration) -> Result<Disk, Error> {
    let other = socket.try_clone().map_err(Error::system("the socket"))?;
    let (ready, waited) = mpsc::channel::<()>();
    // The library has no deadline of its own: closing the socket ends its waiting.
    let watch = thread::spawn(move || {
        if waited.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = other.shutdown(Shutdown::Both);
        }
    });
    let disk = set_up(socket, wanted);
    drop(ready);
    let _ = watch.join();
    disk
}

fn set_up(socket: UnixStream, wanted: &Wanted) -> Result<Disk, Error> {
    let clone = || socket.try_clone().map_err(Error::system("the socket"));
    let mut link = Frontend::from_stream(clone()?, u64::from(wanted.queues));
    let offer = negotiate(&mut link, wanted)?;
    let shape = Shape {
        size: wanted.ring,
        segments: offer.segments,
        indirect: offer.features >> VIRTIO_RING_F_INDIRECT_DESC & 1 == 1,
        event_index: offer.features >> VIRTIO_RING_F_EVENT_IDX & 1 == 1,
    };
    let loads = shares(wanted, offer.capacity)?;
    let mut memory = Shared::new(loads.iter().map(|load| Plan::bytes(&shape, load)).sum())?;
    let plans = loads
        .iter()
        .map(|load| Plan::new(shape, offer.segment_bytes, *load, &mut memory))
        .collect::<Result<Vec<_>, _>>()?;
    let region = VhostUserMemoryRegionInfo {
        guest_phys_addr: BASE,
        memory_size: memory.bytes() as u64,
        userspace_addr: BASE,
        mmap_offset: 0,
        mmap_handle: memory.file().as_raw_fd(),
    };
    step("the shared memory", link.set_mem_table(&[region]))?;
    let memory = Arc::new(memory);
    let mut queues = Vec::new();
    for (index, (plan, load)) in plans.into_iter().zip(loads).enumerate() {
        let ends = Ends { kick: event()?, call: event()?, socket: clone()? };
        start(&mut link, index, &plan, &ends)?;
        queues.push((Virtio::new(memory.clone(), plan, ends), load));
    }
    Ok(Disk { queues, _link: link })
}

/// Agrees on features and reads what the device is like.
fn negotiate(link: &mut Frontend, wanted: &Wanted) -> Result<Offer, Error> {
    step("a driver", link.set_owner())?;
    let offered = step("its features", link.get_features())?;
    let known = [
        VIRTIO_F_VERSION_1,
        VIRTIO_BLK_F_SEG_MAX,
        VIRTIO_BLK_F_SIZE_MAX,
        VIRTIO_BLK_F_MQ,
        VIRTIO_BLK_F_RO,
        VIRTIO_RING_F_INDIRECT_DESC,
        VIRTIO_RING_F_EVENT_IDX,
    ];
    let known = known.iter().fold(Features::PROTOCOL_FEATURES.bits(), |all, bit| all | 1 << bit);
    let features = offered & known;
    let has = |bit: u32| features >> bit & 1 == 1;
    let protocol = step("its protocol", link.get_protocol_features())?;
    let taken = protocol & (Protocol::CONFIG | Protocol::MQ | Protocol::REPLY_ACK);
    step("a protocol", link.set_protocol_features(taken))?;
    if taken.contains(Protocol::REPLY_ACK) {
        // Every refusal is known where it happens.
        link.set_hdr_flags(VhostUserHeaderFlag::NEED_REPLY);
    }
    step("features", link.set_features(features))?;
    let config = link.get_config(0, 36, VhostUserConfigFlags::empty(), &[0; 36]);
    let (_, config) = step("its settings", config)?;
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| config[at + byte]));
    let queues =
        if has(VIRTIO_BLK_F_MQ) { u16::from_le_bytes([config[34], config[35]]) } else { 1 };
    if queues < wanted.queues {
        return Err(Error::Setting(format!(
            "the device has {queues} queues, not {}",
            wanted.queues
        )));
    }
    if wanted.load.write && has(VIRTIO_BLK_F_RO) {
        return Err(Error::Setting("the device cannot be written to (--writable)".into()));
    }
    let sectors = u64::from(number(0)) | u64::from(number(4)) << 32;
    let segments = if has(VIRTIO_BLK_F_SEG_MAX) { number(12).clamp(1, 1022) } else { 1 };
    let longest = if has(VIRTIO_BLK_F_SIZE_MAX) { number(8).max(SECTOR as u32) } else { PAGE };
    Ok(Offer {
        features,
        capacity: sectors.saturating_mul(SECTOR),
        segments: segments as u16,
        segment_bytes: longest - longest % SECTOR as u32,
    })
}

/// What each queue asks for: a part of the disk of its own.
fn shares(wanted: &Wanted, capacity: u64) -> Result<Vec<Load>, Error> {
    let share = capacity / u64::from(wanted.queues);
    let share = share - share % u64::from(wanted.load.block);
    if share == 0 {
        return Err(Error::Setting(format!(
            "a disk of {capacity} bytes is too small for this load"
        )));
    }
    let one = |queue: u64| Load { from: queue * share, to: (queue + 1) * share, ..wanted.load };
    Ok((0..u64::from(wanted.queues)).map(one).collect())
}

/// Tells the back end where a ring is and starts it.
fn start(link: &mut Frontend, index: usize, plan: &Plan, ends: &Ends) -> Result<(), Error> {
    let [descriptors, available, used] = plan.ring.addresses();
    let place = VringConfigData {
        queue_max_size: plan.ring.size(),
        queue_size: plan.ring.size(),
        flags: 0,
        desc_table_addr: descriptors,
        used_ring_addr: used,
        avail_ring_addr: available,
        log_addr: None,
    };
    step("the length of the ring", link.set_vring_num(index, plan.ring.size()))?;
    step("the place of the ring", link.set_vring_addr(index, &place))?;
    step("the start of the ring", link.set_vring_base(index, 0))?;
    step("an event to wake the driver", link.set_vring_call(index, &ends.call))?;
    step("an event to wake the device", link.set_vring_kick(index, &ends.kick))?;
    step("the ring", link.set_vring_enable(index, true))
}

fn step<T>(step: &'static str, end: Result<T, vhost::Error>) -> Result<T, Error> {
    end.map_err(|why| Error::Refused { step, why: why.to_string() })
}

fn event() -> Result<EventFd, Error> {
    EventFd::new(EFD_NONBLOCK | libc::EFD_CLOEXEC).map_err(Error::system("an event"))
}
