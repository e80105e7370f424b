//! A back end to be tried, and a driver that does what a test wants instead of what is right.
#![allow(dead_code)]

use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tare_blk::front::{Asked, BASE, Ring, Shape, Shared};
use vhost::vhost_user::{Frontend, VhostUserFrontend, VhostUserProtocolFeatures as Protocol};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use vmm_sys_util::eventfd::{EFD_NONBLOCK, EventFd};

/// Nothing in these tests takes so long unless it hangs.
pub const LONG: Duration = Duration::from_secs(20);

pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tare-blk"));
    command.stdin(Stdio::null());
    command
}

/// A back end that serves so many disks in a folder of its own, and is killed when dropped.
pub struct Served {
    pub process: Child,
    folder: tempfile::TempDir,
}

impl Served {
    pub fn start(disks: usize, settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = program();
        command.arg("serve").args(settings).stderr(Stdio::piped());
        let names: Vec<PathBuf> = (0..disks).map(|disk| name_in(folder.path(), disk)).collect();
        for name in &names {
            command.arg("--socket").arg(name);
        }
        let served = Self { process: command.spawn().unwrap(), folder };
        names.iter().for_each(|name| until(|| name.exists(), "the back end listens"));
        served
    }

    pub fn name(&self, disk: usize) -> PathBuf {
        name_in(self.folder.path(), disk)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn name_in(folder: &Path, disk: usize) -> PathBuf {
    folder.join(format!("disk{disk}"))
}

/// Waits for something that must happen.
pub fn until(holds: impl Fn() -> bool, what: &str) {
    let end = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub struct Driver {
    pub link: Frontend,
    pub memory: Shared,
    pub ring: Ring,
    pub kick: EventFd,
    pub call: EventFd,
}

/// A ring of this length with requests of up to eight segments.
pub fn shape(size: u16) -> Shape {
    Shape { size, segments: 8, indirect: true, event_index: true }
}

/// Features that every driver of these tests takes: version 1, indirect descriptors, the event index, the protocol's.
const FEATURES: u64 = 1 << 32 | 1 << 28 | 1 << 29 | 1 << 30;

impl Driver {
    /// Sets a queue up as the protocol wants it.
    pub fn connect(name: &Path) -> Self {
        let mut memory = Shared::new(1 << 20).unwrap();
        let ring = Ring::new(shape(16), &mut memory).unwrap();
        let mut link = greeted(name);
        link.set_mem_table(&[region(memory.file().as_raw_fd(), memory.bytes() as u64)]).unwrap();
        let [kick, call] = [(); 2].map(|()| EventFd::new(EFD_NONBLOCK).unwrap());
        let [desc_table_addr, avail_ring_addr, used_ring_addr] = ring.addresses();
        let place = VringConfigData {
            queue_max_size: 16,
            queue_size: 16,
            flags: 0,
            desc_table_addr,
            used_ring_addr,
            avail_ring_addr,
            log_addr: None,
        };
        link.set_vring_num(0, 16).unwrap();
        link.set_vring_addr(0, &place).unwrap();
        link.set_vring_base(0, 0).unwrap();
        link.set_vring_call(0, &call).unwrap();
        link.set_vring_kick(0, &kick).unwrap();
        link.set_vring_enable(0, true).unwrap();
        Self { link, memory, ring, kick, call }
    }

    /// One request of this type, and its status.
    pub fn ask(&mut self, kind: u32, sector: u64, data: &[(usize, u32)]) -> u8 {
        let header = self.memory.give(16, 16);
        let status = self.memory.give(1, 1);
        self.memory.put(header, u128::from(sector) << 64 | u128::from(kind));
        self.memory.put(status, 0xffu8);
        let asked = Asked { header, data, fills: kind != 1, status };
        self.ring.offer(&self.memory, &asked).expect("room in the ring");
        self.ring.publish(&self.memory);
        self.kick.write(1).unwrap();
        let end = Instant::now() + LONG;
        while self.ring.answer(&self.memory).unwrap().is_none() {
            assert!(Instant::now() < end, "no answer");
            std::thread::sleep(Duration::from_millis(1));
        }
        self.memory.get(status)
    }
}

/// A socket has its name a moment before it listens.
fn connected(name: &Path) -> UnixStream {
    let end = Instant::now() + LONG;
    loop {
        match UnixStream::connect(name) {
            Err(e) if e.kind() == ErrorKind::ConnectionRefused && Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(5));
            }
            tried => return tried.unwrap(),
        }
    }
}

/// A connection on which features were agreed upon, and on which every refusal is answered.
pub fn greeted(name: &Path) -> Frontend {
    let mut link = Frontend::from_stream(connected(name), 1);
    link.set_owner().unwrap();
    let offered = link.get_features().unwrap();
    link.get_protocol_features().unwrap();
    link.set_protocol_features(Protocol::CONFIG | Protocol::REPLY_ACK).unwrap();
    link.set_hdr_flags(vhost::vhost_user::message::VhostUserHeaderFlag::NEED_REPLY);
    link.set_features(offered & FEATURES).unwrap();
    link
}

pub fn region(file: i32, bytes: u64) -> VhostUserMemoryRegionInfo {
    VhostUserMemoryRegionInfo {
        guest_phys_addr: BASE,
        memory_size: bytes,
        userspace_addr: BASE,
        mmap_offset: 0,
        mmap_handle: file,
    }
}
