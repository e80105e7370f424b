//! The folder that the rows of files work in: the root of the layer's programs, through a descriptor, so that nobody has to
//! be in it.

use crate::bench::Refusal;
use crate::process::Child;
use crate::program::root::{Root, root};
use crate::sys::{check, name_error};
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// A file that every root with programs has: three components.
pub const PRESENT: &CStr = c"usr/bin/env";

/// A folder with many names that every root with programs has: two components. That file is in it.
pub const LARGE: &CStr = c"usr/bin";
pub const NEAR: &CStr = c"env";

/// A folder that every root has: one component.
pub const SHORT: &CStr = c"usr";

/// The folders where files may be made, one of the root's own files and one of a tmpfs, and a file in them.
pub const ROOM: &CStr = c"tmp";
pub const TMPFS: &CStr = c"dev/shm";
pub const MADE: &CStr = c"tare-operation";

/// A name that no root has, as long as [`PRESENT`].
pub const ABSENT: &CStr = c"usr/bin/no0";

/// A descriptor of the root of programs.
pub fn folder() -> Result<OwnedFd, Refusal> {
    let found = match root(false).map_err(Refusal::Unavailable)? {
        Root::Here => open(c"/"),
        Root::Folder(path) => open(path),
        namespaces @ Root::Namespaces(..) => of_namespaces(namespaces),
    };
    Ok(found.map_err(|why| name_error("the root of programs", why))?)
}

fn open(path: &CStr) -> io::Result<OwnedFd> {
    at(libc::AT_FDCWD, path, libc::O_RDONLY | libc::O_DIRECTORY)
}

/// Opens `path` below `folder`.
pub fn at(folder: libc::c_int, path: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::openat(folder, path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) };
    let fd = check(path.to_string_lossy(), fd)?;
    // SAFETY: it has just been opened, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The root that a process sees in `namespaces`: it enters them, and this one opens its root.
fn of_namespaces(namespaces: &Root) -> io::Result<OwnedFd> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let child = Child::start(|| {
        let entered = namespaces.enter().is_ok();
        let _ = (&theirs).write_all(&[u8::from(entered)]);
        let _ = (&theirs).read(&mut [0]); // until the root is open
        0
    })?;
    drop(theirs);
    let mut entered = [0];
    ours.read_exact(&mut entered)?;
    if entered == [0] {
        return Err(io::Error::other("its namespaces cannot be entered"));
    }
    let opened = File::open(format!("/proc/{}/root", child.pid()))?;
    Ok(OwnedFd::from(opened))
}

/// A file made in the root; its name is removed when it is dropped.
pub struct Made {
    pub folder: OwnedFd,
    /// The file, open for reading and writing.
    pub file: OwnedFd,
}

impl Made {
    /// Makes it in the folder `place` of the root.
    pub fn new(place: &CStr) -> Result<Made, Refusal> {
        let root = folder()?;
        let folder = at(root.as_raw_fd(), place, libc::O_RDONLY | libc::O_DIRECTORY)?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;
        let file = at(folder.as_raw_fd(), MADE, flags)?;
        Ok(Made { folder, file })
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: the path is NUL-terminated.
        unsafe { libc::unlinkat(self.folder.as_raw_fd(), MADE.as_ptr(), 0) };
    }
}
