//! Names and contents of files, as programs of this layer see them.
//!
//! Paths are on the heap, as most of a program's are: in User-Mode Linux a constant of the program's file costs 8 µs more.

use super::room::{self, ABSENT, LARGE, MADE, Made, NEAR, PRESENT, ROOM, SHORT};
use super::{rooted, row};
use crate::bench::{Bench, Op, Refusal};
use crate::benches::lmbench::null_io;
use crate::sys::must;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;
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
        "operations/component_held",
        "a component of a directory in use: of three and of one, by half, where the directory is open",
        held,
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
    rooted(
        "operations/getdents_kib",
        "a KiB of names: getdents64(2) of all of /usr/bin, less the one of /usr",
        list_many,
    ),
    rooted(
        "operations/xattr",
        "one getxattr(2) of an attribute that the file does not have, three components",
        xattr,
    ),
    rooted("operations/file", "mean of a 1-byte pread(2) and pwrite(2) of a file", || {
        Ok(Op::new(both_ways(1)?).divided_by(2.0))
    }),
    rooted(
        "operations/file_read",
        "one read(2) of a byte of a file: of 64 in turn, less of all at once",
        || Ok(Op::new(reads(PIECES)?).minus(reads(1)?).divided_by((PIECES - 1) as f64)),
    ),
    rooted(
        "operations/file_kib_4k",
        "a KiB of a pread(2) and pwrite(2) of 4 KiB, less the calls",
        || of_a_kib(4),
    ),
    rooted(
        "operations/file_kib_64k",
        "a KiB of a pread(2) and pwrite(2) of 64 KiB, less the calls",
        || of_a_kib(64),
    ),
    rooted(
        "operations/file_kib_1m",
        "a KiB of a pread(2) and pwrite(2) of 1 MiB, less the calls",
        || of_a_kib(1024),
    ),
    row(
        "operations/device",
        "mean of a 1-byte read(2) of /dev/zero and write(2) to /dev/null",
        null_io::prepare,
    ),
    row("operations/proc", "one pread(2) of /proc/self/stat", proc),
];

/// Looks `path` up in the root; whether it is there must not change.
fn look(path: &CStr, present: bool) -> Result<impl FnMut() + 'static, Refusal> {
    Ok(look_in(room::folder()?, path, present))
}

/// The same in `folder`, which stays open meanwhile.
pub fn look_in(
    folder: impl AsRawFd + 'static,
    path: &CStr,
    present: bool,
) -> impl FnMut() + 'static {
    let (mut about, path) = (MaybeUninit::<libc::stat>::uninit(), path.to_owned());
    move || {
        let (at, about) = (folder.as_raw_fd(), about.as_mut_ptr());
        // SAFETY: the path is NUL-terminated and `about` is a valid place to write to.
        let found = unsafe { libc::fstatat(at, path.as_ptr(), about, 0) } == 0;
        must("stat", found == present);
    }
}

/// The file is looked up from the root, and from its directory.
fn held() -> Result<Op, Refusal> {
    let root = room::folder()?;
    let folder = room::at(root.as_raw_fd(), LARGE, libc::O_RDONLY | libc::O_DIRECTORY)?;
    let near = look_in(folder, NEAR, true);
    Ok(Op::new(look_in(root, PRESENT, true)).minus(near).divided_by(2.0))
}

fn open() -> Result<impl FnMut() + 'static, Refusal> {
    let (folder, path) = (room::folder()?, PRESENT.to_owned());
    Ok(move || open_and_close(&folder, &path, libc::O_RDONLY))
}

pub fn open_and_close(folder: &OwnedFd, path: &CStr, flags: libc::c_int) {
    close(opened(folder, path, flags));
}

pub fn opened(folder: &OwnedFd, path: &CStr, flags: libc::c_int) -> RawFd {
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::openat(folder.as_raw_fd(), path.as_ptr(), flags, 0o600) };
    must("open", fd >= 0);
    fd
}

pub fn close(fd: RawFd) {
    // SAFETY: the callers have just opened it, and nobody else knows it.
    must("close", unsafe { libc::close(fd) } == 0);
}

fn create() -> Result<Op, Refusal> {
    let made = Made::new(ROOM)?;
    let name = MADE.to_owned();
    remove(&made.folder, &name);
    let make_and_remove = move || {
        open_and_close(&made.folder, &name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL);
        remove(&made.folder, &name);
    };
    Ok(Op::new(make_and_remove).divided_by(2.0))
}

fn remove(folder: &OwnedFd, name: &CStr) {
    // SAFETY: the path is NUL-terminated.
    must("unlink", unsafe { libc::unlinkat(folder.as_raw_fd(), name.as_ptr(), 0) } == 0);
}

/// A folder is opened, read to its end, which takes two calls, and closed; less what is no reading.
fn list() -> Result<Op, Refusal> {
    let root = Rc::new(room::folder()?);
    let mut read = reader(root.clone(), SHORT);
    let path = SHORT.to_owned();
    let less = move || close(opened(&root, &path, libc::O_RDONLY | libc::O_DIRECTORY));
    Ok(Op::new(move || _ = read()).minus(less).divided_by(2.0))
}

/// A folder with many names is read, less one with few; the components of their paths are not counted.
fn list_many() -> Result<Op, Refusal> {
    let root = Rc::new(room::folder()?);
    let (mut many, mut few) = (reader(root.clone(), LARGE), reader(root, SHORT));
    let kib = (many() as f64 - few() as f64) / 1024.0;
    if kib < 1.0 {
        return Err(Refusal::Unavailable("/usr/bin of the programs' root has few files".into()));
    }
    let op = Op::new(move || _ = many()).minus(move || _ = few());
    Ok(op.minus(look(LARGE, true)?).plus(look(SHORT, true)?).divided_by(kib))
}

/// Room for the names of a large folder: one call reads them all.
pub const NAMES_ROOM: usize = 1 << 20;

/// Opens a folder of `root`, reads it by a call that gets all its names and one that gets none, and closes it; says how many bytes
/// of names there are.
fn reader(root: Rc<OwnedFd>, folder: &CStr) -> impl FnMut() -> usize + 'static {
    let (mut names, folder) = (vec![0u8; NAMES_ROOM], folder.to_owned());
    move || {
        let fd = opened(&root, &folder, libc::O_RDONLY | libc::O_DIRECTORY);
        let (got, end) = (read_names(fd, &mut names), read_names(fd, &mut names));
        must("getdents64", got > 0 && end == 0);
        close(fd);
        got
    }
}

/// Bytes of names that getdents64(2) of a directory gets, 0 at its end.
pub fn read_names(fd: RawFd, names: &mut [u8]) -> usize {
    let (at, size) = (names.as_mut_ptr(), names.len());
    // SAFETY: pointer and size are of the same buffer.
    let got = unsafe { libc::syscall(libc::SYS_getdents64, fd, at, size) };
    must("getdents64", got >= 0);
    got as usize
}

/// An attribute is asked for by a path that begins at a descriptor, since no older kernel takes one beside the path; less that path's
/// lookup, and with that of a usual path.
fn xattr() -> Result<Op, Refusal> {
    let root = Rc::new(room::folder()?);
    let path = format!("/proc/self/fd/{}/{}", root.as_raw_fd(), SHORT.to_string_lossy());
    let path = Rc::new(CString::new(path).expect("no NUL in it"));
    let (keep, long) = (root, path.clone());
    let ask = move || {
        let _open = &keep;
        let (path, name) = (path.as_ptr(), c"user.tare".as_ptr());
        // SAFETY: path and name are NUL-terminated, and no value is asked for.
        let size = unsafe { libc::getxattr(path, name, ptr::null_mut(), 0) };
        must("getxattr", size == -1);
    };
    ask();
    if io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP) {
        return Err(Refusal::Unavailable(
            "the programs' root has no extended attributes, and programs that hear so ask no more"
                .into(),
        ));
    }
    let mut about = MaybeUninit::<libc::stat>::uninit();
    let less = move || {
        // SAFETY: the path is NUL-terminated and `about` is a valid place to write to.
        must("stat", unsafe { libc::stat(long.as_ptr(), about.as_mut_ptr()) } == 0);
    };
    Ok(Op::new(ask).minus(less).plus(look(PRESENT, true)?))
}

/// A KiB of `kib` that are written and read.
fn of_a_kib(kib: usize) -> Result<Op, Refusal> {
    Ok(Op::new(both_ways(kib << 10)?).minus(both_ways(1)?).divided_by(2.0 * kib as f64))
}

/// Writes `size` bytes to a file of its own and reads them again.
fn both_ways(size: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let made = Made::new(ROOM)?;
    let mut bytes = vec![0x5au8; size];
    Ok(move || {
        let (fd, at) = (made.file.as_raw_fd(), bytes.as_mut_ptr().cast::<libc::c_void>());
        // SAFETY: pointer and size are of the same buffer.
        must("pwrite", unsafe { libc::pwrite(fd, at, size, 0) } == size as isize);
        // SAFETY: as above.
        must("pread", unsafe { libc::pread(fd, at, size, 0) } == size as isize);
    })
}

/// Bytes, each of which is read by itself.
const PIECES: usize = 64;

/// Reads as many bytes of a file of its own in so many calls.
fn reads(calls: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let made = Made::new(ROOM)?;
    let fd = made.file.as_raw_fd();
    let mut bytes = [0x5au8; PIECES];
    // SAFETY: pointer and size are of the same array.
    let written = unsafe { libc::pwrite(fd, bytes.as_ptr().cast(), PIECES, 0) };
    must("pwrite", written == PIECES as isize);
    Ok(move || {
        let fd = made.file.as_raw_fd();
        // SAFETY: lseek takes three numbers.
        must("lseek", unsafe { libc::lseek(fd, 0, libc::SEEK_SET) } == 0);
        for piece in bytes.chunks_mut(PIECES / calls) {
            // SAFETY: pointer and size are of the same slice.
            let got = unsafe { libc::read(fd, piece.as_mut_ptr().cast(), piece.len()) };
            must("read", got == piece.len() as isize);
        }
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
