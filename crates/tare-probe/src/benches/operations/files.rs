//! Names and contents of files, as programs of this layer see them.

use super::room::{self, ABSENT, MADE, Made, PRESENT, SHORT};
use super::{rooted, row};
use crate::bench::{Bench, Op, Refusal};
use crate::benches::lmbench::null_io;
use crate::sys::must;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::rc::Rc;

pub const ROWS: &[Bench] = &[
    rooted(
        "operations/lookup",
        "one stat(2) of a folder in the programs' root, one component",
        || Ok(Op::new(look(SHORT, true)?)),
    ),
    rooted(
        "operations/component",
        "a further component of a path: of three and of one, by half",
        || Ok(Op::new(look(PRESENT, true)?).minus(look(SHORT, true)?).divided_by(2.0)),
    ),
    rooted(
        "operations/lookup_miss",
        "one stat(2) of a name that is not there, three components",
        || Ok(Op::new(look(ABSENT, false)?)),
    ),
    rooted("operations/open", "open(2) and close(2) of a file by a path of one component", || {
        Ok(Op::new(open()?).minus(look(PRESENT, true)?).plus(look(SHORT, true)?))
    }),
    rooted("operations/create", "a file is made, closed and removed; half of that", create),
    rooted(
        "operations/getdents",
        "getdents64(2) of /usr, just opened: mean of the one that lists it and the one that ends",
        list,
    ),
    rooted("operations/file", "mean of a 1-byte pread(2) and pwrite(2) of a file", || {
        Ok(Op::new(both_ways(1)?).divided_by(2.0))
    }),
    rooted(
        "operations/file_kib",
        "a KiB of a pread(2) and pwrite(2) of 64 KiB, less the calls",
        || Ok(Op::new(both_ways(64 << 10)?).minus(both_ways(1)?).divided_by(128.0)),
    ),
    row(
        "operations/device",
        "mean of a 1-byte read(2) of /dev/zero and write(2) to /dev/null",
        null_io::prepare,
    ),
    row("operations/proc", "one pread(2) of /proc/self/stat", proc),
];

/// Looks `path` up in the root; whether it is there must not change.
fn look(path: &'static CStr, present: bool) -> Result<impl FnMut() + 'static, Refusal> {
    let folder = room::folder()?;
    let mut about = MaybeUninit::<libc::stat>::uninit();
    Ok(move || {
        let (at, about) = (folder.as_raw_fd(), about.as_mut_ptr());
        // SAFETY: the path is NUL-terminated and `about` is a valid place to write to.
        let found = unsafe { libc::fstatat(at, path.as_ptr(), about, 0) } == 0;
        must("stat", found == present);
    })
}

fn open() -> Result<impl FnMut() + 'static, Refusal> {
    let folder = room::folder()?;
    Ok(move || open_and_close(&folder, PRESENT, libc::O_RDONLY))
}

fn open_and_close(folder: &OwnedFd, path: &CStr, flags: libc::c_int) {
    close(opened(folder, path, flags));
}

fn opened(folder: &OwnedFd, path: &CStr, flags: libc::c_int) -> RawFd {
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::openat(folder.as_raw_fd(), path.as_ptr(), flags, 0o600) };
    must("open", fd >= 0);
    fd
}

fn close(fd: RawFd) {
    // SAFETY: the callers have just opened it, and nobody else knows it.
    must("close", unsafe { libc::close(fd) } == 0);
}

fn create() -> Result<Op, Refusal> {
    let made = Made::new()?;
    remove(&made.folder);
    let make_and_remove = move || {
        open_and_close(&made.folder, MADE, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL);
        remove(&made.folder);
    };
    Ok(Op::new(make_and_remove).divided_by(2.0))
}

fn remove(folder: &OwnedFd) {
    // SAFETY: the path is NUL-terminated.
    must("unlink", unsafe { libc::unlinkat(folder.as_raw_fd(), MADE.as_ptr(), 0) } == 0);
}

/// A folder is opened, read to its end, which takes two calls, and closed; less what is no reading.
fn list() -> Result<Op, Refusal> {
    let folder = Rc::new(room::folder()?);
    let (root, mut entries) = (folder.clone(), vec![0u8; 32 << 10]);
    let read = move || {
        let fd = opened(&root, SHORT, libc::O_RDONLY | libc::O_DIRECTORY);
        for is_end in [false, true] {
            let (at, size) = (entries.as_mut_ptr(), entries.len());
            // SAFETY: pointer and size are of the same buffer.
            let got = unsafe { libc::syscall(libc::SYS_getdents64, fd, at, size) };
            must("getdents64", if is_end { got == 0 } else { got > 0 });
        }
        close(fd);
    };
    let less = move || close(opened(&folder, SHORT, libc::O_RDONLY | libc::O_DIRECTORY));
    Ok(Op::new(read).minus(less).divided_by(2.0))
}

/// Writes `size` bytes to a file of its own and reads them again.
fn both_ways(size: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let made = Made::new()?;
    let mut bytes = vec![0x5au8; size];
    Ok(move || {
        let (fd, at) = (made.file.as_raw_fd(), bytes.as_mut_ptr().cast::<libc::c_void>());
        // SAFETY: pointer and size are of the same buffer.
        must("pwrite", unsafe { libc::pwrite(fd, at, size, 0) } == size as isize);
        // SAFETY: as above.
        must("pread", unsafe { libc::pread(fd, at, size, 0) } == size as isize);
    })
}

fn proc() -> Result<Op, Refusal> {
    let file = room::at(libc::AT_FDCWD, c"/proc/self/stat", libc::O_RDONLY)?;
    let mut text = [0u8; 1024];
    Ok(Op::new(move || {
        let at = text.as_mut_ptr().cast();
        // SAFETY: pointer and size are of the same array.
        must("pread", unsafe { libc::pread(file.as_raw_fd(), at, text.len(), 0) } > 0);
    }))
}
