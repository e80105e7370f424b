//! Names that were not looked up lately, and directories that were not read lately. Whoever keeps names remembers only so many.

use super::files::{NAMES_ROOM, close, opened, read_names};
use super::{room, rooted};
use crate::bench::{Bench, Op, Refusal};
use crate::sys::must;
use std::ffi::{CString, OsString};
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tare_proto::REMEMBERED_NAMES;

pub const ROWS: &[Bench] = &[
    rooted_mix(
        "operations/cold_name",
        "what a name costs more that was not looked up lately: stat(2) of 1,280 files in turn, less of one",
        cold_name,
    ),
    rooted_mix(
        "operations/cold_kib",
        "a KiB of names in directories that were not read lately: getdents64(2) of 1,280 small ones in turn",
        cold_kib,
    ),
];

/// A row whose samples are of different names: the middle one stands for all, where the best ones would be the cheapest names.
const fn rooted_mix(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    Bench { estimator: "median", ..rooted(name, about, prepare) }
}

/// Names and directories: more than are remembered.
const MANY: usize = REMEMBERED_NAMES + REMEMBERED_NAMES / 4;

/// Files in a small directory.
const FEW: usize = 64;

/// No more directories are looked through for names.
const LOOKED_THROUGH: usize = 512;

/// A file of the root, in a directory that is open, so that only the file's own name is looked up.
type Name = (Rc<OwnedFd>, CString);

fn cold_name() -> Result<Op, Refusal> {
    let root = room::folder()?;
    let mut names: Vec<Name> = Vec::new();
    for (path, files) in walk(&root).take(LOOKED_THROUGH) {
        if !files.is_empty() {
            let flags = libc::O_RDONLY | libc::O_DIRECTORY;
            let folder = Rc::new(room::at(root.as_raw_fd(), &path, flags)?);
            names.extend(files.into_iter().map(|file| (folder.clone(), file)));
        }
        if names.len() >= MANY {
            break;
        }
    }
    enough("files", names.len(), MANY)?;
    let names = Rc::new(names);
    Ok(Op::new(look(names.clone(), MANY)).minus(look(names, 1)).divided_by(MANY as f64))
}

/// Makes as many lookups as there are names, of the first `many` in turn: a sample is of all, since they differ.
fn look(names: Rc<Vec<Name>>, many: usize) -> impl FnMut() + 'static {
    let mut about = MaybeUninit::<libc::stat>::uninit();
    move || {
        for (folder, file) in (0..MANY).map(|at| &names[at % many]) {
            let (at, path) = (folder.as_raw_fd(), file.as_ptr());
            // SAFETY: the path is NUL-terminated and `about` is a valid place to write to.
            must("stat", unsafe { libc::fstatat(at, path, about.as_mut_ptr(), 0) } == 0);
        }
    }
}

fn cold_kib() -> Result<Op, Refusal> {
    let root = Rc::new(room::folder()?);
    let small = walk(&root).filter(|(_, files)| files.len() <= FEW);
    let directories: Vec<CString> = small.map(|(path, _)| path).take(MANY).collect();
    enough("small directories", directories.len(), MANY)?;
    let mut next = 0;
    let mut names = vec![0u8; NAMES_ROOM];
    let mut open = move |read: bool| {
        let fd = opened(&root, &directories[next], libc::O_RDONLY | libc::O_DIRECTORY);
        let got = if read { read_names(fd, &mut names) } else { 1 };
        must("getdents64", got > 0);
        close(fd);
        next = (next + 1) % MANY;
        got
    };
    let mut also = open.clone();
    // What is only opened is half of all directories away from what is read.
    (0..MANY / 2).for_each(|_| _ = also(false));
    let bytes: usize = (0..MANY).map(|_| open(true)).sum();
    let kib = bytes as f64 / 1024.0 / MANY as f64;
    Ok(Op::new(move || _ = open(true)).minus(move || _ = also(false)).divided_by(kib))
}

fn enough(what: &str, found: usize, needed: usize) -> Result<(), Refusal> {
    match found >= needed {
        true => Ok(()),
        false => Err(Refusal::Unavailable(format!(
            "/usr of the programs' root has {found} {what}, and {needed} are needed"
        ))),
    }
}

/// The directories of `root` from /usr on, each before those in it, with the names of its files. What cannot be read is empty.
fn walk(root: &OwnedFd) -> impl Iterator<Item = (CString, Vec<CString>)> {
    let base = PathBuf::from(format!("/proc/self/fd/{}", root.as_raw_fd()));
    let mut left = vec![PathBuf::from("usr")];
    std::iter::from_fn(move || {
        let path = left.pop()?;
        let (folders, files) = list(&base.join(&path));
        left.extend(folders.into_iter().rev().map(|folder| path.join(folder)));
        let text = |name: OsString| CString::new(name.into_vec()).ok();
        Some((text(path.into_os_string())?, files.into_iter().filter_map(text).collect()))
    })
}

/// The directories in a directory, and the files, each in their order.
fn list(folder: &Path) -> (Vec<OsString>, Vec<OsString>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = (Vec::new(), Vec::new());
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.0.push(entry.file_name()),
            Ok(kind) if kind.is_file() => found.1.push(entry.file_name()),
            _ => {}
        }
    }
    found.0.sort();
    found.1.sort();
    found
}
