//! A driver that lies: the back end neither ends nor stops serving its other disks.

mod common;

use common::{Driver, Served, greeted, region};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};
use tare_blk::front::BASE;
use tare_blk::measure::{Back, Point, measure};
use tare_blk::settings::Settings;
use vhost::VhostBackend;

fn pick<T: Copy>(random: &mut SplitMix64, of: &[T]) -> T {
    of[random.next_u64() as usize % of.len()]
}

/// A descriptor of which each part may be right.
fn descriptor(random: &mut SplitMix64, bytes: u64) -> u128 {
    let inside = BASE + random.next_u64() % bytes;
    let places = [
        inside,
        inside,
        inside & !15,
        BASE,
        BASE + bytes - 1,
        BASE + bytes,
        0,
        u64::MAX,
        u64::MAX - 15,
    ];
    let lengths = [0, 1, 16, 16, 32, 512, 512, 4096, 1 << 20, u32::MAX, u32::MAX - 15];
    let place = pick(random, &places);
    let length = pick(random, &lengths);
    // Any of: another one follows, the device writes, a table.
    let flags = random.next_u64() % 8;
    let next = random.next_u64() % 20;
    u128::from(place) | u128::from(length) << 64 | u128::from(flags) << 96 | u128::from(next) << 112
}

/// Fills the memory with lies, then the ring, and wakes the back end, again and again.
fn lie(name: &Path, seed: u64) {
    let mut random = SplitMix64::seed_from_u64(seed);
    let driver = Driver::connect(name);
    let bytes = driver.memory.bytes() as u64;
    let [table, available, used] = driver.ring.addresses().map(|address| (address - BASE) as usize);
    // Where the back end says how far it has read.
    let read = || driver.memory.get::<u16>(used + 4 + 8 * 16);
    let mut next = 0u16;
    let mut rounds = 0;
    for _ in 0..400 {
        // Tables may lie anywhere but in the rings, and headers of reads and writes, too.
        for _ in 0..64 {
            let place = 4096 + (random.next_u64() % (bytes / 16 - 256)) as usize * 16;
            let header =
                u128::from(random.next_u64() % 9) | u128::from(random.next_u64() % 80) << 64;
            let lies = [header, descriptor(&mut random, bytes)];
            driver.memory.put(place, pick(&mut random, &lies));
        }
        for index in 0..16 {
            driver.memory.put(table + 16 * index, descriptor(&mut random, bytes));
            let head = pick(&mut random, &[0, 1, 5, 15, 16, u16::MAX]);
            driver.memory.put(available + 4 + 2 * index, head);
        }
        next = next.wrapping_add(pick(&mut random, &[1, 3, 16]));
        driver.memory.put(available + 2, next);
        driver.kick.write(1).unwrap();
        let end = Instant::now() + Duration::from_millis(20);
        while read() != next && Instant::now() < end {
            std::thread::yield_now();
        }
        rounds += u32::from(read() == next);
        // Requests may have written anywhere, and thus over what says how far it is.
        next = if read() == next { next } else { read() };
    }
    assert!(rounds > 100, "the back end read the ring {rounds} times only");
    // More requests than a ring has, at last.
    driver.memory.put(available + 2, next.wrapping_add(40000));
    driver.kick.write(1).unwrap();
    std::thread::sleep(Duration::from_millis(10));
}

fn outlives_lies(settings: &[&str]) {
    let mut file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    file.write_all(&[1; 64 << 9]).unwrap();
    let device = format!("--device=file:{}", file.path().display());
    let mut all = vec![&*device, "--cached", "--writable", "--ring=16", "--segments=8"];
    all.extend(settings);
    let mut served = Served::start(3, &all);
    lie(&served.name(0), 1);
    lie(&served.name(1), 2);
    assert!(served.process.try_wait().unwrap().is_none(), "the back end has ended");
    serves(&served.name(2));
}

/// A disk of the same back end does what it should.
fn serves(name: &Path) {
    let point = Point {
        back: Back::Socket(name.to_owned()),
        settings: Settings { ring: 16, segments: 8, ..Settings::default() },
        disks: 1,
        block: 4096,
        depth: 4,
        write: false,
        time: Duration::from_millis(20),
    };
    assert!(measure(&point).unwrap().requests > 0);
}

#[test]
fn lies_end_neither_the_back_end_nor_its_other_disks_with_pread() {
    outlives_lies(&["--engine=pread", "--lock=global"]);
}

#[test]
fn lies_end_neither_the_back_end_nor_its_other_disks_with_io_uring() {
    outlives_lies(&["--engine=io-uring"]);
}

/// Memory of `bytes` bytes, sealed as it should be.
fn sealed(bytes: u64, more: MFdFlags) -> File {
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING | more;
    let file = File::from(memfd_create(c"hostile", flags).unwrap());
    file.set_len(bytes).unwrap();
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK)).unwrap();
    file
}

#[test]
fn memory_that_ends_before_its_length_is_not_touched_by_a_queue_that_looks_for_requests() {
    let mut served = Served::start(2, &["--poll-us=1000000", "--ring=16", "--segments=8"]);
    let mut driver = Driver::connect(&served.name(0));
    let bytes = driver.memory.bytes() as u64;
    // Requests that come soon after each other make the queue look for more, longer and longer.
    let data = driver.memory.give(4096, 4096);
    for _ in 0..30 {
        assert_eq!(driver.ask(0, 0, &[(data, 4096)]), 0);
    }
    let short = sealed(0, MFdFlags::empty());
    assert!(driver.link.set_mem_table(&[region(short.as_raw_fd(), bytes)]).is_err());
    std::thread::sleep(Duration::from_millis(50));
    let _ = driver.kick.write(1);
    std::thread::sleep(Duration::from_millis(50));
    assert!(served.process.try_wait().unwrap().is_none(), "the back end has ended");
    serves(&served.name(1));
}

#[test]
fn memory_that_may_run_out_is_refused() {
    let mut served = Served::start(2, &["--ring=16", "--segments=8"]);
    let huge = sealed(2 << 20, MFdFlags::MFD_HUGETLB | MFdFlags::MFD_HUGE_2MB);
    let link = greeted(&served.name(0));
    assert!(link.set_mem_table(&[region(huge.as_raw_fd(), 2 << 20)]).is_err());
    assert!(served.process.try_wait().unwrap().is_none(), "the back end has ended");
    serves(&served.name(1));
}
