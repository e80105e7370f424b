//! What a driver asks for is what it gets, and no more than that.

mod common;

use common::{Driver, Served, greeted, region};
use std::io::Write;
use std::os::fd::AsRawFd;
use vhost::VhostBackend;

const IN: u32 = 0;
const OUT: u32 = 1;
const FLUSH: u32 = 4;
const NAME: u32 = 8;
const DISCARD: u32 = 11;

/// A file of 64 sectors, each full of its number.
fn numbered() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new_in("/var/tmp").unwrap();
    (0..64u8).for_each(|sector| file.write_all(&[sector; 512]).unwrap());
    file
}

fn served(file: &tempfile::NamedTempFile, more: &[&str]) -> Served {
    let device = format!("--device=file:{}", file.path().display());
    let mut settings = vec![&*device, "--segments=4", "--ring=16"];
    settings.extend(more);
    Served::start(1, &settings)
}

fn sectors_come_and_go(engine: &str) {
    let file = numbered();
    let served = served(&file, &["--cached", "--writable", engine]);
    let mut driver = Driver::connect(&served.name(0));
    let data = driver.memory.give(4096, 4096);
    assert_eq!(driver.ask(IN, 7, &[(data, 512), (data + 2048, 1024)]), 0);
    assert_eq!(driver.memory.get::<u8>(data + 511), 7);
    assert_eq!(driver.memory.get::<u8>(data + 512), 0, "memory beside the segments is left alone");
    assert_eq!(driver.memory.get::<u8>(data + 2048), 8);
    assert_eq!(driver.memory.get::<u8>(data + 3071), 9);
    driver.memory.put(data, 0x55u8);
    assert_eq!(driver.ask(OUT, 20, &[(data, 512)]), 0);
    assert_eq!(driver.ask(FLUSH, 0, &[]), 0);
    assert_eq!(std::fs::read(file.path()).unwrap()[20 * 512..20 * 512 + 2], [0x55, 7]);
    assert_eq!(driver.ask(NAME, 0, &[(data, 20)]), 0);
    let name: u64 = driver.memory.get(data);
    assert_eq!(&name.to_le_bytes(), b"tare-blk");
}

#[test]
fn sectors_are_read_and_written_with_io_uring() {
    sectors_come_and_go("--engine=io-uring");
}

#[test]
fn sectors_are_read_and_written_with_pread() {
    sectors_come_and_go("--engine=pread");
}

#[test]
fn what_a_device_cannot_do_fails_with_a_status() {
    let file = numbered();
    let served = served(&file, &["--cached"]);
    let mut driver = Driver::connect(&served.name(0));
    let data = driver.memory.give(4096, 4096);
    let end = driver.memory.bytes();
    let io_error = 1;
    let unsupported = 2;
    for (what, kind, sector, segments) in [
        ("beyond the end", IN, 64, vec![(data, 512)]),
        ("across the end", IN, 63, vec![(data, 1024)]),
        ("a sector whose bytes no number holds", IN, u64::MAX / 4, vec![(data, 512)]),
        ("half a sector", IN, 0, vec![(data, 100)]),
        ("nothing", IN, 0, vec![]),
        ("five segments of four", IN, 0, vec![(data, 512); 5]),
        ("a segment that is too long", IN, 0, vec![(data, 8192)]),
        ("memory behind the shared memory", IN, 0, vec![(end, 512)]),
        ("memory across its end", IN, 0, vec![(end - 256, 512)]),
        ("a write, which the settings forbid", OUT, 0, vec![(data, 512)]),
    ] {
        assert_eq!(driver.ask(kind, sector, &segments), io_error, "{what}");
    }
    assert_eq!(driver.ask(DISCARD, 0, &[(data, 16)]), unsupported);
    assert_eq!(driver.ask(IN, 0, &[(data, 512)]), 0, "and goes on");
}

#[test]
fn memory_that_its_owner_could_shorten_is_refused() {
    let served = Served::start(1, &["--ring=16"]);
    let link = greeted(&served.name(0));
    let file = tempfile::tempfile().unwrap();
    file.set_len(1 << 20).unwrap();
    assert!(link.set_mem_table(&[region(file.as_raw_fd(), 1 << 20)]).is_err());
}

#[test]
fn memory_beyond_the_end_of_its_file_is_refused() {
    let served = Served::start(1, &["--ring=16"]);
    let link = greeted(&served.name(0));
    let memory = tare_blk::front::Shared::new(1 << 20).unwrap();
    assert!(link.set_mem_table(&[region(memory.file().as_raw_fd(), 2 << 20)]).is_err());
}
