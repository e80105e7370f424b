//! The disk family on a file: what it writes, how it makes its requests, and why it cannot.

mod probe;
mod without;

use probe::{Probe, disk};
use std::fs;
use std::path::Path;
use tare_proto::{FromProbe, NO_DISK, Series};
use without::{Refused, lacking, refuse};

fn series(probe: &mut Probe, bench: &str) -> Series {
    match probe.measure(bench) {
        FromProbe::Series(series) => series,
        other => panic!("{bench}: {other:?}"),
    }
}

fn reason(probe: &mut Probe, bench: &str) -> String {
    match probe.measure(bench) {
        FromProbe::Unavailable { why, .. } => why,
        other => panic!("{bench}: {other:?}"),
    }
}

fn counter(series: &Series, name: &str) -> f64 {
    let found = series.counters.iter().find(|counter| counter.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", series.counters)).value
}

fn engine(series: &Series) -> &str {
    let mut names = series.counters.iter().filter_map(|one| one.name.strip_prefix("engine/"));
    names.next().expect("the engine is told")
}

#[test]
fn writes_change_the_disk_and_never_its_size_and_reads_do_not() {
    let mut probe = Probe::start("disk-writes");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("disk-writes.disk");
    let before = fs::read(&path).unwrap();
    for bench in ["disk/read_64k", "disk/randread_4k@16"] {
        series(&mut probe, bench);
    }
    assert!(fs::read(&path).unwrap() == before);
    series(&mut probe, "disk/write_64k@4");
    let after = fs::read(&path).unwrap();
    assert!(after[..64 << 10] != before[..64 << 10]);
    series(&mut probe, "disk/randwrite_4k@4");
    assert!(fs::read(&path).unwrap() != after);
    assert_eq!(after.len(), before.len());
}

#[test]
fn a_series_has_its_latencies_its_engine_and_its_bytes() {
    let mut probe = Probe::start("disk-counters");
    let measured = series(&mut probe, "disk/read_64k@4");
    let percentile = |name| counter(&measured, &format!("latency_ns/{name}"));
    let all = ["p50", "p90", "p99", "p99.9"].map(percentile);
    assert!(all[0] > 0.0 && all.is_sorted(), "{all:?}");
    assert_eq!(engine(&measured), "io_uring");
    let bytes = counter(&measured, "bytes");
    assert!(bytes >= 65536.0 && bytes % 65536.0 == 0.0, "{bytes}");
}

#[test]
fn what_is_refused_has_its_successor_and_is_told() {
    let uring = || lacking(libc::SYS_io_uring_setup);
    let mut probe = Probe::start_as("disk-aio", |command| refuse(command, &[uring()]));
    assert_eq!(engine(&series(&mut probe, "disk/randread_4k@16")), "libaio");
    assert_eq!(engine(&series(&mut probe, "disk/randwrite_4k")), "libaio");
    let both = [uring(), lacking(libc::SYS_io_setup)];
    let mut probe = Probe::start_as("disk-plain", |command| refuse(command, &both));
    assert_eq!(engine(&series(&mut probe, "disk/read_64k")), "pread");
    assert_eq!(engine(&series(&mut probe, "disk/write_64k")), "pread");
    let why = reason(&mut probe, "disk/read_64k@4");
    assert!(why.contains("io_uring") && why.contains("io_submit"), "{why}");
}

#[test]
fn a_file_system_that_cannot_is_a_reason() {
    let refused = |mask: i32, error| Refused { call: libc::SYS_openat, mask: mask as u32, error };
    let no_direct = [refused(libc::O_DIRECT, libc::EINVAL)];
    let mut probe = Probe::start_as("disk-direct", |command| refuse(command, &no_direct));
    assert!(reason(&mut probe, "disk/read_64k").contains("cannot do O_DIRECT"));
    let read_only = [refused(libc::O_RDWR, libc::EROFS)];
    let mut probe = Probe::start_as("disk-read-only", |command| refuse(command, &read_only));
    assert!(reason(&mut probe, "disk/write_64k").contains("can only be read"));
    series(&mut probe, "disk/read_64k");
}

#[test]
fn a_disk_that_is_none_is_a_reason() {
    let mut probe = Probe::start_as("disk-none", |command| {
        command.env_remove("TARE_DISK");
    });
    assert!(reason(&mut probe, "disk/read_64k").contains("was given no disk"));
    let mut probe = Probe::start_as("disk-absent", |command| {
        command.env("TARE_DISK", "/dev/absent");
    });
    assert!(reason(&mut probe, "disk/read_64k").contains("/dev/absent"));
    let mut probe = Probe::start("disk-reason");
    let path = disk("disk-reason");
    fs::write(&path, format!("{NO_DISK}no space left\n")).unwrap();
    assert!(reason(&mut probe, "disk/read_64k").ends_with(": no space left"));
    fs::write(&path, "small").unwrap();
    assert!(reason(&mut probe, "disk/read_64k").contains("only 5 bytes"));
}

#[test]
fn a_queue_has_its_limits() {
    let mut probe = Probe::start("disk-deep");
    series(&mut probe, "disk/randread_4k@64");
    assert!(reason(&mut probe, "disk/randread_4k@65").contains("deeper than 64"));
}
