//! Where paths lead to: a name in a tmpfs costs a layer something else than one in the root of programs.

use std::ffi::CString;
use std::mem;
use std::os::fd::RawFd;

/// Operations on names that have a price of their own in a tmpfs, and what they are called there.
const IN_TMPFS: [(&str, &str); 3] =
    [("lookup", "lookup_tmpfs"), ("component", "component_tmpfs"), ("open", "open_tmpfs")];

/// What the operation `name` is called in a tmpfs, where that is something else.
pub fn in_tmpfs(name: &'static str) -> &'static str {
    IN_TMPFS.iter().find(|(own, _)| *own == name).map_or(name, |(_, other)| other)
}

/// A file: its device, and its number there.
pub type File = (u64, u64);

/// The file that `path` of thread `tid` leads to; one that begins at no root begins at the descriptor `folder`, or where the thread
/// is. An absolute symbolic link in it is followed from this process's root.
pub fn file(tid: libc::pid_t, folder: Option<u64>, path: &[u8]) -> Option<File> {
    let path = from_here(tid, folder, path)?;
    // SAFETY: all zeros is a valid value.
    let mut about: libc::stat = unsafe { mem::zeroed() };
    // SAFETY: the path is NUL-terminated, and `about` is a valid place to write to.
    let found = unsafe { libc::stat(path.as_ptr(), &raw mut about) };
    (found == 0).then_some((about.st_dev, about.st_ino))
}

/// Whether such a path leads to a tmpfs.
pub fn leads_to_tmpfs(tid: libc::pid_t, folder: Option<u64>, path: &[u8]) -> bool {
    let Some(path) = from_here(tid, folder, path) else { return false };
    // SAFETY: the path is NUL-terminated.
    is(|about| unsafe { libc::statfs(path.as_ptr(), about) })
}

/// Such a path as this process can follow it.
fn from_here(tid: libc::pid_t, folder: Option<u64>, path: &[u8]) -> Option<CString> {
    let begin = format!("/proc/{tid}/{}/", begin(folder, path));
    CString::new([begin.as_bytes(), path].concat()).ok()
}

/// Where such a path begins: the name of a link in the thread's folder of `/proc`.
pub fn begin(folder: Option<u64>, path: &[u8]) -> String {
    match folder.map(|fd| fd as libc::c_int) {
        _ if path.starts_with(b"/") => "root".into(),
        None | Some(libc::AT_FDCWD) => "cwd".into(),
        Some(fd) => format!("fd/{fd}"),
    }
}

/// Whether an open file is in a tmpfs.
pub fn is_tmpfs(fd: RawFd) -> bool {
    // SAFETY: fstatfs takes a number, and fills what `is` shows it.
    is(|about| unsafe { libc::fstatfs(fd, about) })
}

fn is(ask: impl FnOnce(*mut libc::statfs) -> libc::c_int) -> bool {
    // SAFETY: all zeros is a valid value.
    let mut about: libc::statfs = unsafe { mem::zeroed() };
    ask(&raw mut about) == 0 && about.f_type as u64 == libc::TMPFS_MAGIC as u64
}
