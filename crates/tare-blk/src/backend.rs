//! The back end: a block device behind a vhost-user socket.

use crate::device::Medium;
use crate::error::Error;
use crate::lane::{Lane, RingState, Space, wake};
use crate::polling::Polling;
use crate::request::{Limits, Memory};
use crate::settings::{Lock, SECTOR, Settings, Source};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::statfs::{HUGETLBFS_MAGIC, fstatfs};
use std::hint::spin_loop;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use vhost::vhost_user::{VhostUserProtocolFeatures as Protocol, VhostUserVirtioFeatures as Virtio};
use vhost_user_backend::{VhostUserBackend, VringMutex, VringT};
use virtio_bindings::virtio_blk::{
    VIRTIO_BLK_F_BLK_SIZE, VIRTIO_BLK_F_FLUSH, VIRTIO_BLK_F_MQ, VIRTIO_BLK_F_RO,
    VIRTIO_BLK_F_SEG_MAX, VIRTIO_BLK_F_SIZE_MAX,
};
use virtio_bindings::virtio_config::VIRTIO_F_VERSION_1;
use virtio_bindings::virtio_ring::{VIRTIO_RING_F_EVENT_IDX, VIRTIO_RING_F_INDIRECT_DESC};
use virtio_queue::QueueT;
use vm_memory::{FileOffset, GuestAddressSpace, GuestMemoryBackend, GuestMemoryRegion};
use vmm_sys_util::epoll::EventSet;
use vmm_sys_util::event::{
    EventConsumer, EventFlag, EventNotifier, new_event_consumer_and_notifier,
};

/// A ring that the protocol's thread sets up and a queue's thread works on.
type Vring = VringMutex<Space>;

/// What `Lock` stands for.
pub type Held = Arc<Mutex<()>>;

pub struct BlockBackend {
    settings: Settings,
    capacity: u64,
    writable: bool,
    /// The driver's memory as the protocol's library sets it: nothing has looked at it before it is there.
    given: Space,
    /// The same once it is known to be sound. Queues touch only this.
    memory: Space,
    lanes: Vec<Mutex<Lane>>,
    rings: Vec<Mutex<Option<Vring>>>,
    polling: Vec<Mutex<Polling>>,
    held: Option<Held>,
    stopping: AtomicBool,
}

impl BlockBackend {
    /// A device as the settings say. `global` is what devices of this process share.
    ///
    /// # Errors
    /// Settings that exclude each other, a file that cannot be opened.
    pub fn new(settings: &Settings, global: &Held) -> Result<Self, Error> {
        settings.check()?;
        let medium = Medium::open(settings)?;
        let writable = settings.writable || !matches!(settings.device, Source::File(_));
        let limits = Limits::new(settings, medium.capacity(), writable);
        let depth = u32::from(settings.ring);
        let lane = || Ok(Mutex::new(Lane::new(medium.queue(depth)?, limits, depth)));
        Ok(Self {
            settings: settings.clone(),
            capacity: medium.capacity(),
            writable,
            given: Space::new(Memory::default()),
            memory: Space::new(Memory::default()),
            lanes: (0..settings.queues).map(|_| lane()).collect::<Result<_, Error>>()?,
            rings: (0..settings.queues).map(|_| Mutex::new(None)).collect(),
            polling: (0..settings.queues)
                .map(|_| Mutex::new(Polling::new(settings.poll_us)))
                .collect(),
            held: match settings.lock {
                Lock::None => None,
                Lock::Device => Some(Held::default()),
                Lock::Global => Some(global.clone()),
            },
            stopping: AtomicBool::new(false),
        })
    }

    /// Where the driver's memory is to be put.
    pub fn given(&self) -> Space {
        self.given.clone()
    }

    /// What wakes a queue's thread beside its driver; none if the device answers at once.
    pub fn event(&self, queue: usize) -> Option<RawFd> {
        locked(&self.lanes[queue]).device().event().map(|event| event.as_raw_fd())
    }

    /// Ends all queues' work at the next request.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Takes what is available and gives back what has finished, until there is nothing of either.
    fn pass(&self, queue: usize, vring: &Vring) -> io::Result<()> {
        locked(&self.polling[queue]).ends(Instant::now());
        let mut more = false;
        while !self.stopping.load(Ordering::Relaxed) {
            let idle = {
                // Let go after each round, so that others have their turn, too.
                let _held = self.hold();
                let mut lane = locked(&self.lanes[queue]);
                let mut ring = vring.get_mut();
                // What the ring's own calls refuse is a ring outside of the driver's memory: there is nothing to be done for it.
                let memory = self.memory.memory();
                let _ = ring.get_queue_mut().disable_notification(&*memory);
                let taken = lane.take(&memory, &mut ring)?;
                lane.give_back(&mut ring)?;
                wake(&memory, &mut ring);
                // A ring that says there is more and gives nothing is not in order: it is left until the next kick.
                if lane.full() || (more && taken == 0) {
                    break;
                }
                lane.idle()
            };
            // What a device works on wakes this thread when it is done.
            if idle && self.look(queue, vring) {
                more = true;
                continue;
            }
            let _held = self.hold();
            let memory = self.memory.memory();
            more = vring.get_mut().get_queue_mut().enable_notification(&*memory).unwrap_or(false);
            if !more {
                break;
            }
        }
        Ok(())
    }

    /// Takes the lock that the settings want, if they want one.
    fn hold(&self) -> Option<MutexGuard<'_, ()>> {
        self.held.as_deref().map(locked)
    }

    /// Looks for requests for as long as that pays: whether there are some.
    fn look(&self, queue: usize, vring: &Vring) -> bool {
        let begin = Instant::now();
        let end = begin + locked(&self.polling[queue]).begins(begin);
        while Instant::now() < end && !self.stopping.load(Ordering::Relaxed) {
            if has_requests(&vring.get_ref(), &self.memory) {
                locked(&self.polling[queue]).ends(Instant::now());
                return true;
            }
            spin_loop();
        }
        false
    }

    fn config(&self) -> [u8; 60] {
        let mut config = [0; 60];
        config[0..8].copy_from_slice(&(self.capacity / SECTOR).to_le_bytes());
        config[8..12].copy_from_slice(&self.settings.segment_bytes.to_le_bytes());
        config[12..16].copy_from_slice(&u32::from(self.settings.segments).to_le_bytes());
        config[20..24].copy_from_slice(&(SECTOR as u32).to_le_bytes());
        config[34..36].copy_from_slice(&self.settings.queues.to_le_bytes());
        config
    }
}

/// A queue's state says itself what is in flight, so that a thread that has failed does not make it invalid.
fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the driver has made requests available that were not taken. A ring outside of its memory has none.
fn has_requests(ring: &RingState, memory: &Space) -> bool {
    let queue = ring.get_queue();
    let available = queue.avail_idx(&*memory.memory(), Ordering::Acquire);
    available.is_ok_and(|index| index.0 != queue.next_avail())
}

impl VhostUserBackend for BlockBackend {
    type Bitmap = ();
    type Vring = Vring;

    fn num_queues(&self) -> usize {
        self.lanes.len()
    }

    fn max_queue_size(&self) -> usize {
        usize::from(self.settings.ring)
    }

    fn features(&self) -> u64 {
        let given = |condition: bool, bit: u32| u64::from(condition) << bit;
        Virtio::PROTOCOL_FEATURES.bits()
            | given(true, VIRTIO_F_VERSION_1)
            | given(true, VIRTIO_BLK_F_SEG_MAX)
            | given(true, VIRTIO_BLK_F_SIZE_MAX)
            | given(true, VIRTIO_BLK_F_BLK_SIZE)
            | given(true, VIRTIO_BLK_F_FLUSH)
            | given(self.settings.queues > 1, VIRTIO_BLK_F_MQ)
            | given(!self.writable, VIRTIO_BLK_F_RO)
            | given(!self.settings.direct_descriptors, VIRTIO_RING_F_INDIRECT_DESC)
            | given(!self.settings.no_event_index, VIRTIO_RING_F_EVENT_IDX)
    }

    fn protocol_features(&self) -> Protocol {
        Protocol::CONFIG | Protocol::MQ | Protocol::REPLY_ACK
    }

    fn set_event_idx(&self, _enabled: bool) {}

    fn get_config(&self, offset: u32, size: u32) -> Vec<u8> {
        // The protocol bounds both to a page.
        let config = self.config();
        let asked = (offset..offset.saturating_add(size.min(4096))).map(|at| at as usize);
        asked.map(|at| config.get(at).copied().unwrap_or(0)).collect()
    }

    /// Memory that its owner could take away would end this process when it is touched: what is refused is not touched, and
    /// what was there before stays.
    fn update_memory(&self, given: Space) -> io::Result<()> {
        let new = given.memory().into_inner();
        let sound = new.iter().try_for_each(|region| fixed(region.file_offset(), region.len()));
        let (to, kept) = match &sound {
            Ok(()) => (&self.memory, new),
            // The library itself looks into what it was given when a ring is set up.
            Err(_) => (&given, self.memory.memory().into_inner()),
        };
        to.lock().unwrap_or_else(PoisonError::into_inner).replace((*kept).clone());
        sound
    }

    fn queues_per_thread(&self) -> Vec<u64> {
        (0..self.lanes.len()).map(|queue| 1 << queue).collect()
    }

    fn exit_event(&self, _thread: usize) -> Option<(EventConsumer, EventNotifier)> {
        new_event_consumer_and_notifier(EventFlag::NONBLOCK | EventFlag::CLOEXEC).ok()
    }

    /// Waits for what is in flight: the driver may give its memory to others after this.
    fn stop_vring(&self, queue: u32) -> io::Result<()> {
        let queue = queue as usize;
        let Some(vring) = locked(&self.rings[queue]).clone() else { return Ok(()) };
        let mut lane = locked(&self.lanes[queue]);
        while !lane.idle() {
            if let Some(event) = lane.device().event() {
                poll(&mut [PollFd::new(event, PollFlags::POLLIN)], 100u16)?;
            }
            let mut ring = vring.get_mut();
            lane.give_back(&mut ring)?;
            wake(&self.memory.memory(), &mut ring);
        }
        Ok(())
    }

    fn handle_event(
        &self,
        _event: u16,
        _set: EventSet,
        vrings: &[Vring],
        queue: usize,
    ) -> io::Result<()> {
        let Some(vring) = vrings.first() else { return Ok(()) };
        locked(&self.rings[queue]).get_or_insert_with(|| vring.clone());
        self.pass(queue, vring)
    }
}

/// Whether a region of `length` bytes lies in a file that nobody can shorten, and whose pages are there when they are touched.
fn fixed(place: Option<&FileOffset>, length: u64) -> io::Result<()> {
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let Some(place) = place else { return refuse("shared memory without a file") };
    let seals = fcntl(place.file(), FcntlArg::F_GET_SEALS).map(SealFlag::from_bits_retain);
    if !seals.is_ok_and(|seals| seals.contains(SealFlag::F_SEAL_SHRINK)) {
        return refuse(
            "the shared memory can be shortened while it is used: take a memfd that is sealed against that (of QEMU: \
             memory-backend-memfd,share=on,seal=on)",
        );
    }
    // Where these are none, touching one ends a process, and whoever has the file can give them back at any time.
    if fstatfs(place.file())?.filesystem_type() == HUGETLBFS_MAGIC {
        return refuse(
            "the shared memory is of huge pages, which may run out: take a memfd of usual pages",
        );
    }
    match place.start().checked_add(length) {
        Some(end) if end <= place.file().metadata()?.len() => Ok(()),
        _ => refuse("shared memory beyond the end of its file"),
    }
}
