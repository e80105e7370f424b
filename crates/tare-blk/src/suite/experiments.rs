//! What is compared with what: one table of report 001's questions.

use crate::measure::{Back, Point};
use crate::settings::{Lock, Settings, Source};

/// Requests that a page of Xen's ring holds. A virtqueue with indirect descriptors holds one with each of its own.
const REQUESTS_A_PAGE: u16 = 32;

/// Segments of a request in the ring that report 001 found.
const OLD_SEGMENTS: u16 = 11;

/// Rows that are compared with the first of them.
pub struct Experiment {
    pub name: &'static str,
    pub rows: Vec<Named>,
}

pub struct Named {
    pub name: String,
    pub point: Point,
}

/// All experiments, on the device and with the load of `base`; QEMU's back end only where its program is at hand.
pub fn experiments(base: &Point, qemu: bool) -> Vec<Experiment> {
    let mut all = vec![
        bare(base),
        locks("lock, 1 disk", base, 1),
        locks("lock, 2 disks", base, 2),
        locks("lock, 4 disks", base, 4),
        locks("lock, 4 disks, ring of old", &ring(base, OLD_SEGMENTS, 1), 4),
        segments("segments, 64 KiB", base, 64 << 10),
        segments("segments, 512 KiB", base, 512 << 10),
        pages(base),
        both(base),
    ];
    if qemu && base.settings.device == Source::Null {
        all.push(qemus(base));
    }
    all
}

fn named(name: impl Into<String>, point: Point) -> Named {
    Named { name: name.into(), point }
}

fn with(base: &Point, change: impl FnOnce(&mut Settings)) -> Point {
    let mut point = base.clone();
    change(&mut point.settings);
    point
}

/// The device alone, again (what differs is noise), and behind a ring.
fn bare(base: &Point) -> Experiment {
    let bare = Point { back: Back::Bare, ..base.clone() };
    let rows = vec![
        named("bare", bare.clone()),
        named("bare again", bare),
        named("paravirtual", base.clone()),
    ];
    Experiment { name: "bare and paravirtual", rows }
}

/// What the disks' queues hold while they touch a ring, at both ends.
fn locks(name: &'static str, base: &Point, disks: u16) -> Experiment {
    let row = |label: &str, lock| {
        let point = with(base, |settings| settings.lock = lock);
        named(label, Point { disks, ..point })
    };
    let rows =
        vec![row("global", Lock::Global), row("per device", Lock::Device), row("none", Lock::None)];
    Experiment { name, rows }
}

fn segments(name: &'static str, base: &Point, block: u32) -> Experiment {
    let row = |segments: u16| {
        let point = with(base, |settings| settings.segments = segments);
        named(format!("{segments} segments"), Point { block, ..point })
    };
    Experiment { name, rows: vec![row(OLD_SEGMENTS), row(32), row(128)] }
}

/// How many requests a ring can hold, with the segments of old.
fn pages(base: &Point) -> Experiment {
    let row = |pages: u16| named(counted(pages), ring(base, OLD_SEGMENTS, pages));
    Experiment { name: "ring pages, 11 segments", rows: [1, 2, 4, 8, 16].map(row).into() }
}

/// What report 001 changed at once, apart.
fn both(base: &Point) -> Experiment {
    let row = |segments: u16, pages: u16| {
        named(format!("{segments} segments, {}", counted(pages)), ring(base, segments, pages))
    };
    let rows = vec![row(OLD_SEGMENTS, 1), row(OLD_SEGMENTS, 16), row(32, 1), row(32, 16)];
    Experiment { name: "segments and pages", rows }
}

fn counted(pages: u16) -> String {
    format!("{pages} {}", if pages == 1 { "page" } else { "pages" })
}

fn ring(base: &Point, segments: u16, pages: u16) -> Point {
    let point = with(base, |settings| {
        settings.segments = segments;
        settings.ring = pages * REQUESTS_A_PAGE;
    });
    // More than a page of the ring holds, or its length could not matter.
    Point { depth: 64, ..point }
}

/// This crate's back end beside QEMU's, under the same driver.
fn qemus(base: &Point) -> Experiment {
    let small = Point { block: 4096, depth: 64, ..base.clone() };
    let rows = vec![
        named("qemu-storage-daemon", Point { back: Back::Qemu, ..small.clone() }),
        named("tare-blk", small),
    ];
    Experiment { name: "4 KiB, null", rows }
}
