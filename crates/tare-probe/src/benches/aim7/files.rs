//! Files: a megabyte (the file size of AIM's shared mix) read, written and copied in blocks of 1 KiB, in order
//! and at random; the same with O_SYNC. They lie in the scratch folder, which is memory-backed where the layer
//! has that, as report 002's were; the mix has a twin on a disk.

use super::text::next;
use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use crate::scratch::{Named, nameless_with};
use crate::sys::must;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::{AsRawFd, RawFd};

pub const ROWS: &[Bench] = &[
    test("aim7/creat-clo", "1,000 files created and closed, each removed at once", creations),
    test("aim7/disk_rr", "5 MiB read at random places, 1 KiB at a time, after lseek(2)", || {
        blocks(2.0, PLAIN, |file, at| {
            seek(file.0, at.random);
            get(file.0);
        })
    }),
    test("aim7/disk_rw", "5 MiB written at random places, 1 KiB at a time, after lseek(2)", || {
        blocks(2.0, PLAIN, |file, at| {
            seek(file.0, at.random);
            put(file.0);
        })
    }),
    test("aim7/disk_rd", "5 MiB read in order, 1 KiB at a time", || {
        blocks(2.0, PLAIN, |file, at| {
            rewind(file.0, at.block);
            get(file.0);
        })
    }),
    test(
        "aim7/disk_wrt",
        "5 MiB written in order, 1 KiB at a time, the file emptied every MiB",
        || {
            blocks(2.0, PLAIN, |file, at| {
                empty(file.0, at.block);
                put(file.0);
            })
        },
    ),
    test("aim7/disk_cp", "5 MiB copied from file to file, 1 KiB at a time", || {
        blocks(2.0, PLAIN, copy)
    }),
    test(
        "aim7/sync_disk_rw",
        "256 KiB written at random places with O_SYNC, 1 KiB at a time",
        || {
            blocks(1.0, SYNCED, |file, at| {
                seek(file.0, at.random);
                put(file.0);
            })
        },
    ),
    test("aim7/sync_disk_wrt", "256 KiB written in order with O_SYNC, 1 KiB at a time", || {
        blocks(1.0, SYNCED, |file, at| {
            empty(file.0, at.block);
            put(file.0);
        })
    }),
    test(
        "aim7/sync_disk_cp",
        "256 KiB copied from file to file with O_SYNC, 1 KiB at a time",
        || blocks(1.0, SYNCED, copy),
    ),
];

/// Bytes of a block, and blocks of a file.
const BLOCK: usize = 1024;
const BLOCKS: u32 = 1024;

/// Blocks that a job moves, and how its files are opened. With O_SYNC a tenth of what AIM moves: its loop took
/// a minute on a disk of 2002, and would be all that the mix on a disk measures.
type Way = (u32, libc::c_int);
const PLAIN: Way = (5120, 0);
const SYNCED: Way = (256, libc::O_SYNC);

/// Where a job is: the block in the file in order, and one at random.
struct At {
    block: u32,
    random: u32,
}

fn blocks(
    weight: f64,
    (count, flags): Way,
    step: impl Fn((RawFd, RawFd), &At) + 'static,
) -> Result<Op, Refusal> {
    let make = || -> std::io::Result<File> {
        let mut file = nameless_with(BLOCKS as usize * BLOCK, flags)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    };
    let (source, target) = (make()?, make()?);
    job(weight, move || {
        let mut state = 2_463_534_242;
        for block in 0..count {
            let place = At { block: block % BLOCKS, random: next(&mut state) % BLOCKS };
            step((source.as_raw_fd(), target.as_raw_fd()), &place);
        }
    })
}

fn copy((from, to): (RawFd, RawFd), at: &At) {
    rewind(from, at.block);
    get(from);
    empty(to, at.block);
    put(to);
}

/// Back to the start before the first block of a file.
fn rewind(file: RawFd, block: u32) {
    if block == 0 {
        seek(file, 0);
    }
}

/// Throws the content away before the first block of a file.
fn empty(file: RawFd, block: u32) {
    if block == 0 {
        // SAFETY: ftruncate has no memory preconditions.
        must("ftruncate", unsafe { libc::ftruncate(file, 0) } == 0);
        seek(file, 0);
    }
}

fn seek(file: RawFd, block: u32) {
    let at = i64::from(block) * BLOCK as i64;
    // SAFETY: lseek has no memory preconditions.
    must("lseek", unsafe { libc::lseek(file, at, libc::SEEK_SET) } == at);
}

fn get(file: RawFd) {
    let mut block = [0u8; BLOCK];
    // SAFETY: pointer and length are of the same array.
    let read = unsafe { libc::read(file, block.as_mut_ptr().cast(), BLOCK) };
    must("read", read == BLOCK as isize);
}

fn put(file: RawFd) {
    let block = [0x5au8; BLOCK];
    // SAFETY: pointer and length are of the same array.
    let written = unsafe { libc::write(file, block.as_ptr().cast(), BLOCK) };
    must("write", written == BLOCK as isize);
}

fn creations() -> Result<Op, Refusal> {
    let file = Named::new("created")?;
    let path = file.c_path();
    let flags = libc::O_CREAT | libc::O_TRUNC | libc::O_WRONLY | libc::O_CLOEXEC;
    job(1.0, move || {
        let _keep = &file;
        for _ in 0..1000 {
            // SAFETY: the path is NUL-terminated.
            let made = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
            must("creat", made >= 0);
            // SAFETY: nobody else uses the descriptor.
            must("close", unsafe { libc::close(made) } == 0);
            // SAFETY: the path is NUL-terminated.
            must("unlink", unsafe { libc::unlink(path.as_ptr()) } == 0);
        }
    })
}
