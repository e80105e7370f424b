//! Names in a tmpfs that programs see: layers that ask somebody else for the files of the root keep these themselves.

use super::files::{look_in, open_and_close};
use super::room::{MADE, Made, TMPFS};
use super::rooted;
use crate::bench::{Bench, Op, Refusal};
use crate::sys::check;
use std::ffi::CStr;
use std::os::fd::{AsRawFd, RawFd};
use std::rc::Rc;

pub const ROWS: &[Bench] = &[
    rooted("operations/lookup_tmpfs", "one stat(2) of a file in /dev/shm, one component", || {
        Ok(Op::new(look_in(Deep::new()?, MADE, true)))
    }),
    rooted(
        "operations/component_tmpfs",
        "a further component of a path in /dev/shm: of five and of one, a quarter",
        || {
            let place = Rc::new(Deep::new()?);
            let five = look_in(place.clone(), FIVE, true);
            Ok(Op::new(five).minus(look_in(place, ONE, true)).divided_by(4.0))
        },
    ),
    rooted("operations/open_tmpfs", "open(2) and close(2) of a file in /dev/shm", || {
        let made = made()?;
        let name = MADE.to_owned();
        Ok(Op::new(move || open_and_close(&made.folder, &name, libc::O_RDONLY)))
    }),
];

/// Folders in each other: their paths, the outermost first.
const FOLDERS: [&CStr; 5] = [
    c"tare-folders",
    c"tare-folders/2",
    c"tare-folders/2/3",
    c"tare-folders/2/3/4",
    c"tare-folders/2/3/4/5",
];
const ONE: &CStr = FOLDERS[0];
const FIVE: &CStr = FOLDERS[4];

/// A file in the tmpfs.
fn made() -> Result<Made, Refusal> {
    let made = Made::new(TMPFS)?;
    match crate::program::is_tmpfs(made.file.as_raw_fd()) {
        true => Ok(made),
        false => Err(Refusal::Unavailable("/dev/shm of the programs' root is no tmpfs".into())),
    }
}

/// A file, and folders beside it, which are removed when this is dropped.
struct Deep(Made);

impl Deep {
    fn new() -> Result<Deep, Refusal> {
        let deep = Deep(made()?);
        for folder in FOLDERS {
            // SAFETY: the path is NUL-terminated.
            check("mkdir", unsafe { libc::mkdirat(deep.as_raw_fd(), folder.as_ptr(), 0o700) })?;
        }
        Ok(deep)
    }
}

impl AsRawFd for Deep {
    fn as_raw_fd(&self) -> RawFd {
        self.0.folder.as_raw_fd()
    }
}

impl Drop for Deep {
    fn drop(&mut self) {
        for folder in FOLDERS.iter().rev() {
            // SAFETY: the path is NUL-terminated.
            unsafe { libc::unlinkat(self.as_raw_fd(), folder.as_ptr(), libc::AT_REMOVEDIR) };
        }
    }
}
