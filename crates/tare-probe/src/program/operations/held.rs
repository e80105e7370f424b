//! Directories that a process holds by what it has open, what it runs and where it is. A layer that remembers names only as long as
//! somebody uses them, as the overlay of gVisor does, finds these without a look into the file systems below.

use super::ptrace::{components, names};
use crate::program::place::begin;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a process holds is looked up again for every so many of its paths.
const EVERY: u32 = 16;

/// What processes hold.
#[derive(Default)]
pub struct Held(HashMap<libc::pid_t, Process>);

struct Process {
    /// Paths since it was looked up.
    paths: u32,
    directories: HashSet<PathBuf>,
}

/// Names that a path leads through before its last.
#[derive(Debug, Default, PartialEq)]
pub struct Through {
    pub held: f64,
    pub others: f64,
}

impl Held {
    /// What `path` of process `pid` leads through; one that begins at no root begins at the descriptor `folder`, or where the process is.
    /// The descriptor that it has just `opened` held nothing meanwhile.
    pub fn through(
        &mut self,
        pid: libc::pid_t,
        folder: Option<u64>,
        path: &[u8],
        opened: Option<u64>,
    ) -> Through {
        let mut through = Through::default();
        let before = components(path).saturating_sub(1);
        if before == 0 {
            return through;
        }
        let mut place = link(pid, &begin(folder, path)).unwrap_or_default();
        let directories = self.directories(pid, opened);
        for name in names(path).take(before) {
            place.push(OsStr::from_bytes(name));
            match directories.contains(&place) {
                true => through.held += 1.0,
                false => through.others += 1.0,
            }
        }
        through
    }

    /// Process `pid` has ended, or become another program.
    pub fn forget(&mut self, pid: libc::pid_t) {
        self.0.remove(&pid);
    }

    fn directories(&mut self, pid: libc::pid_t, opened: Option<u64>) -> &HashSet<PathBuf> {
        let new = || Process { paths: EVERY, directories: HashSet::new() };
        let process = self.0.entry(pid).or_insert_with(new);
        if process.paths == EVERY {
            *process = Process { paths: 0, directories: held_by(pid, opened) };
        }
        process.paths += 1;
        &process.directories
    }
}

fn link(pid: libc::pid_t, name: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/{name}")).ok()
}

/// All that process `pid` has open, but for the descriptor `without`, has mapped or is in, and the directories that these are in.
fn held_by(pid: libc::pid_t, without: Option<u64>) -> HashSet<PathBuf> {
    let without = without.map(|fd| OsString::from(fd.to_string()));
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| Some(entry.file_name()) != without);
    let open = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let mapped =
        maps.lines().filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])));
    let all: HashSet<PathBuf> = open.chain(mapped).chain(link(pid, "cwd")).collect();
    let absolute = all.iter().filter(|path| path.is_absolute());
    absolute.flat_map(|path| path.ancestors()).map(Path::to_path_buf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn what_is_above_an_open_file_is_held_until_it_is_closed() {
        let place = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or(".")).join("held");
        let deep = place.join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        let (place, deep) = (place.canonicalize().unwrap(), deep.canonicalize().unwrap());
        fs::write(deep.join("file"), "").unwrap();
        let pid = std::process::id() as libc::pid_t;
        let folder = fs::File::open(&place).unwrap();
        let through = |path: &str| {
            let fd = folder.as_raw_fd() as u64;
            Held::default().through(pid, Some(fd), path.as_bytes(), None)
        };
        let of = |held, others| Through { held, others };
        assert_eq!(through("a/b/c/file"), of(0.0, 3.0));
        let file = fs::File::open(deep.join("file")).unwrap();
        assert_eq!(through("a/b/c/file"), of(3.0, 0.0));
        assert_eq!(through("a/b/d/file"), of(2.0, 1.0));
        assert_eq!(through("file"), of(0.0, 0.0));
        let opened = file.as_raw_fd() as u64;
        let by_itself = Held::default().through(
            pid,
            Some(folder.as_raw_fd() as u64),
            b"a/b/c/file",
            Some(opened),
        );
        assert_eq!(by_itself, of(0.0, 3.0));
        let absolute = deep.join("file");
        let names = absolute.components().count() as f64 - 2.0;
        assert_eq!(through(absolute.to_str().unwrap()), of(names, 0.0));
        drop(file);
        assert_eq!(through("a/b/c/file"), of(0.0, 3.0));
        let mut held = Held::default();
        (0..EVERY).for_each(|_| _ = held.through(pid, None, absolute.as_os_str().as_bytes(), None));
        let _file = fs::File::open(&absolute).unwrap();
        let later = held.through(pid, None, absolute.as_os_str().as_bytes(), None);
        assert_eq!(later, of(names, 0.0), "it is looked up again");
        fs::remove_dir_all(&place).unwrap();
    }
}
