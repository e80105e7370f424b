//! Directories: read through, and searched for a file.

use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use crate::scratch::Folder;
use crate::sys::must;
use std::ffi::CStr;

pub const ROWS: &[Bench] = &[
    test(
        "aim7/disk_src",
        "75 searches of a directory of 98 files for the last, found and looked at",
        searches,
    ),
    test("aim7/dir_rtns_1", "10,000 directory entries read, 100 after each opendir(3)", entries),
];

/// Files in the directory; with itself and its parent it has a hundred entries.
const FILES: usize = 98;

fn searches() -> Result<Op, Refusal> {
    let folder = Folder::with_files("searched", FILES)?;
    // The order of entries is the file system's: what comes last is looked for.
    let mut last = c"".to_owned();
    each(&folder.c_path(), |name| last = name.to_owned());
    let (place, whole) = (folder.c_path(), folder.inside(&last));
    job(2.0, move || {
        let _keep = &folder;
        for _ in 0..75 {
            let mut found = false;
            each(&place, |name| found |= name == last.as_c_str());
            assert!(found, "a file is not in its directory");
            // SAFETY: the path is NUL-terminated.
            must("access", unsafe { libc::access(whole.as_ptr(), libc::R_OK) } == 0);
        }
    })
}

fn entries() -> Result<Op, Refusal> {
    let folder = Folder::with_files("listed", FILES)?;
    let place = folder.c_path();
    job(1.0, move || {
        let _keep = &folder;
        for _ in 0..100 {
            let mut entries = 0;
            each(&place, |_| entries += 1);
            assert!(entries == FILES + 2, "{entries} entries in a directory of {FILES} files");
        }
    })
}

fn each(path: &CStr, mut visit: impl FnMut(&CStr)) {
    // SAFETY: the path is NUL-terminated.
    let directory = unsafe { libc::opendir(path.as_ptr()) };
    must("opendir", !directory.is_null());
    loop {
        // SAFETY: the stream is open, and only this function uses it.
        let entry = unsafe { libc::readdir64(directory) };
        if entry.is_null() {
            break;
        }
        // SAFETY: the entry is valid until the next call on its stream.
        let name = unsafe { (*entry).d_name.as_ptr() };
        // SAFETY: the name ends with a NUL.
        visit(unsafe { CStr::from_ptr(name) });
    }
    // SAFETY: the stream is open, and nobody uses it again.
    must("closedir", unsafe { libc::closedir(directory) } == 0);
}
