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
    rooted(
        "operations/cold_name",
        "what a name costs more that was not looked up lately: stat(2) of 1,280 files in turn, less of one",
        cold_name,
    ),
    rooted(
        "operations/cold_directory",
        "getdents64(2) of a directory of few names, not read lately: the smaller 320 of 640 in turn",
        || {
            let read = Op::new(cold_directories(Some(Half::Smaller))?.0);
            Ok(read.minus(cold_directories(None)?.0).divided_by(OF_HALF as f64))
        },
    ),
    rooted(
        "operations/cold_kib",
        "a KiB of names of such a directory: of the larger half of them, less of the smaller half",
        cold_kib,
    ),
];

/// Names: more than are remembered.
const MANY: usize = REMEMBERED_NAMES + REMEMBERED_NAMES / 4;

/// Directories of which as many have fewer names as have more.
const OF_HALF: usize = 320;

/// Files in a small directory.
const FEW: usize = 64;

/// No more directories are looked through for names.
const LOOKED_THROUGH: usize = 512;

/// A file of the root, in a directory that is open, so that only the file's own name is looked up.
type Name = (Rc<OwnedFd>, CString);

fn cold_name() -> Result<Op, Refusal> {
    let names = many_names()?;
    Ok(Op::new(look(names.clone(), MANY)).minus(look(names, 1)).divided_by(MANY as f64))
}

fn many_names() -> Result<Rc<Vec<Name>>, Refusal> {
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
    Ok(Rc::new(names))
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
    let (smaller, few) = cold_directories(Some(Half::Smaller))?;
    let (larger, many) = cold_directories(Some(Half::Larger))?;
    if many - few < 1.0 / 64.0 {
        return Err(Refusal::Unavailable(
            "the directories of the programs' root are all of one size".into(),
        ));
    }
    Ok(Op::new(larger).minus(smaller).divided_by(OF_HALF as f64 * (many - few)))
}

/// Of directories that are sorted by the size of their names.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Smaller,
    Larger,
}

/// Opens and closes all of them in turn, one of each half, and reads those of the half `read`: a sample is of all, since they differ. Then
/// it looks so many names up that all are forgotten. Also says how many KiB of names a directory of that half has on average.
fn cold_directories(read: Option<Half>) -> Result<(impl FnMut() + 'static, f64), Refusal> {
    let root = room::folder()?;
    let mut names = vec![0u8; NAMES_ROOM];
    let mut visit = move |path: &CString, read: bool| {
        let fd = opened(&root, path, libc::O_RDONLY | libc::O_DIRECTORY);
        let got = if read { read_names(fd, &mut names) } else { 1 };
        must("getdents64", got > 0);
        close(fd);
        got
    };
    let base = room::folder()?;
    let small = walk(&base).filter(|(_, files)| files.len() <= FEW).take(2 * OF_HALF);
    let mut all: Vec<(usize, CString)> =
        small.map(|(path, _)| (visit(&path, true), path)).collect();
    enough("small directories", all.len(), 2 * OF_HALF)?;
    all.sort();
    let larger = all.split_off(OF_HALF);
    let kib = |half: &[(usize, CString)]| {
        half.iter().map(|(bytes, _)| *bytes as f64).sum::<f64>() / 1024.0 / half.len() as f64
    };
    let size = kib(if read == Some(Half::Larger) { &larger } else { &all });
    let mut forget = look(many_names()?, MANY);
    forget();
    let visit_all = move || {
        for ((_, smaller), (_, larger)) in all.iter().zip(&larger) {
            visit(smaller, read == Some(Half::Smaller));
            visit(larger, read == Some(Half::Larger));
        }
        forget();
    };
    Ok((visit_all, size))
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
