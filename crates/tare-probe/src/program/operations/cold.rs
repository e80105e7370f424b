//! Which names and directories of a program are cold: since they were looked up or read, so many other names were looked up
//! that a layer may have forgotten them.
//!
//! An eighth of all names is followed, selected by a hash of the name, so that each of them is followed whenever it comes
//! (spatially hashed sampling: Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015).

use super::ptrace::names;
use super::sampled::{NO_MORE, Outcome};
use crate::program::place::{File, file, leads_to_tmpfs};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use tare_proto::REMEMBERED_NAMES;

/// One name of so many is followed.
const SHARE: usize = 8;

/// The read of a directory that was not read lately, and a KiB of its names.
const COLD: [&str; 2] = ["cold_directory", "cold_kib"];

/// What has been seen of a program's names.
#[derive(Default)]
pub struct ColdNames {
    /// Paths, and those of names that are followed.
    paths: f64,
    followed: f64,
    /// Of the latter, those that were cold, and those that had not been there before.
    cold: f64,
    first: f64,
    /// Files that were ever looked up, and the last of them, the latest at the end.
    known: HashSet<File>,
    recent: Vec<File>,
    /// By directory: how many of the names that are followed had been cold or new when it was last read.
    directories: HashMap<File, f64>,
    /// Reads of directories that had not been read before, and KiB of names that these got.
    first_reads: f64,
    first_kib: f64,
    /// Paths, reads of directories and KiB of names that nothing is known of.
    other_paths: f64,
    other_reads: f64,
    other_kib: f64,
    blind: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastRead {
    Lately,
    LongAgo,
    Never,
}

impl ColdNames {
    /// Thread `tid` looks `path` up, which begins at `folder` if it begins at no root.
    pub fn looked_up(&mut self, tid: libc::pid_t, folder: Option<u64>, path: &[u8]) {
        let Some(name) = names(path).next_back() else { return };
        if self.blind {
            self.other_paths += 1.0;
            return;
        }
        self.paths += 1.0;
        let mut hash = DefaultHasher::new();
        name.hash(&mut hash);
        if hash.finish().is_multiple_of(SHARE as u64) {
            self.followed += 1.0;
            let found = file(tid, folder, path);
            found
                .into_iter()
                .for_each(|file| self.found(file, || leads_to_tmpfs(tid, folder, path)));
        }
    }

    /// A name that is followed leads to `file`.
    fn found(&mut self, file: File, in_tmpfs: impl FnOnce() -> bool) {
        if let Some(at) = self.recent.iter().rposition(|other| *other == file) {
            self.recent.remove(at);
        } else if in_tmpfs() {
            return; // whose names are never forgotten
        } else if self.known.insert(file) {
            self.first += 1.0;
        } else {
            self.cold += 1.0;
        }
        if self.recent.len() == REMEMBERED_NAMES / SHARE {
            self.recent.remove(0);
        }
        self.recent.push(file);
    }

    /// Thread `tid` reads the directory that its descriptor `fd` is of.
    pub fn reads(&mut self, tid: libc::pid_t, fd: u64) -> LastRead {
        if self.blind {
            return LastRead::Never;
        }
        let Some(directory) = file(tid, Some(fd), b"") else { return LastRead::Lately };
        let now = self.cold + self.first;
        match self.directories.insert(directory, now) {
            None => LastRead::Never,
            Some(then) if now - then >= (REMEMBERED_NAMES / SHARE) as f64 => LastRead::LongAgo,
            Some(_) => LastRead::Lately,
        }
    }

    /// What each of `times` reads of a directory that was last read `when` is, if it is no usual one: it got so many bytes of names.
    pub fn has_read(&mut self, when: LastRead, times: f64, bytes: u64) -> Option<Outcome> {
        let kib = bytes as f64 / 1024.0;
        match when {
            LastRead::Lately => None,
            LastRead::Never if self.blind && bytes == 0 => None, // the end, which was read into lately
            LastRead::LongAgo if bytes == 0 => None,             // its end
            LastRead::LongAgo => Some([(COLD[0], 1.0), (COLD[1], kib), NO_MORE]),
            LastRead::Never if self.blind => {
                self.other_reads += times;
                self.other_kib += times * kib;
                Some([NO_MORE; 3])
            }
            LastRead::Never => {
                self.first_reads += times;
                self.first_kib += times * kib;
                Some([NO_MORE; 3])
            }
        }
    }

    /// From here on not all names are seen.
    pub fn blind(&mut self) {
        self.blind = true;
    }

    /// What was counted here, by operation, where what was not followed stands for `each` as many. The program has run before, so
    /// what comes for the first time was there at the end of the run before this one, unless there are more names than are remembered.
    pub fn counts(&self, each: f64) -> [(&'static str, f64); 3] {
        let more = self.known.len() * SHARE > REMEMBERED_NAMES;
        let names = self.cold + if more { self.first } else { 0.0 };
        let paths = self.paths + each * self.other_paths;
        let names = if names > 0.0 { paths * names / self.followed } else { 0.0 };
        let (reads, kib) =
            (self.first_reads + each * self.other_reads, self.first_kib + each * self.other_kib);
        let [of_call, of_kib] = if more { COLD } else { ["getdents", "getdents_kib"] };
        [("cold_name", names), (of_call, reads), (of_kib, kib)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// Files called 0 to 2,999, in a folder that is no tmpfs.
    struct Files(PathBuf);

    impl Files {
        fn new(name: &str) -> Files {
            let place = option_env!("CARGO_TARGET_TMPDIR").unwrap_or(".");
            let folder = PathBuf::from(place).join(name);
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            (0..3000).for_each(|at| fs::write(folder.join(at.to_string()), "").unwrap());
            Files(folder)
        }

        fn look(&self, names: &mut ColdNames, which: std::ops::Range<usize>) {
            for at in which {
                let path = self.0.join(at.to_string());
                let path = path.as_os_str().as_encoded_bytes();
                names.looked_up(std::process::id() as libc::pid_t, None, path);
            }
        }
    }

    impl Drop for Files {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn names_are_cold_that_come_again_after_many_others() {
        let files = Files::new("many-names");
        let mut names = ColdNames::default();
        (0..3).for_each(|_| files.look(&mut names, 0..3000));
        assert_eq!(names.counts(1.0)[0], ("cold_name", 9000.0), "the first ones too");
        (0..3).for_each(|_| files.look(&mut names, 2900..3000));
        let (_, cold) = names.counts(1.0)[0];
        assert!((8700.0..9300.0).contains(&cold), "the last ones are remembered: {cold}");
    }

    #[test]
    fn few_names_are_never_cold() {
        let files = Files::new("few-names");
        let mut names = ColdNames::default();
        (0..20).for_each(|_| files.look(&mut names, 0..500));
        assert_eq!(names.counts(1.0)[0], ("cold_name", 0.0));
        files.look(&mut names, 0..3000);
        let (_, cold) = names.counts(1.0)[0];
        assert!((2300.0..3700.0).contains(&cold), "each of 3,000 once: {cold}");
    }

    #[test]
    fn names_of_which_one_is_seen_stand_for_others_and_are_as_cold_as_the_first_ones() {
        let files = Files::new("seen-in-part");
        let mut names = ColdNames::default();
        (0..2).for_each(|_| files.look(&mut names, 0..3000));
        names.blind();
        files.look(&mut names, 0..100);
        assert_eq!(names.counts(20.0)[0], ("cold_name", 6000.0 + 20.0 * 100.0));
    }

    #[test]
    fn a_directory_is_cold_when_many_names_came_since_it_was_read() {
        let files = Files::new("read-again");
        let mut names = ColdNames::default();
        let folder = fs::File::open(&files.0).unwrap();
        let fd = std::os::fd::AsRawFd::as_raw_fd(&folder) as u64;
        let reads = |names: &mut ColdNames| names.reads(std::process::id() as libc::pid_t, fd);
        assert_eq!(reads(&mut names), LastRead::Never);
        files.look(&mut names, 0..100);
        assert_eq!(reads(&mut names), LastRead::Lately);
        files.look(&mut names, 100..3000);
        assert_eq!(reads(&mut names), LastRead::LongAgo);
        names.blind();
        assert_eq!(reads(&mut names), LastRead::Never, "nothing is known from here on");
        assert_eq!(names.has_read(LastRead::Never, 1.0, 0), None);
        assert_eq!(names.has_read(LastRead::Never, 3.0, 2048), Some([NO_MORE; 3]));
        let counted = names.counts(5.0);
        assert_eq!(counted[1..], [(COLD[0], 5.0 * 3.0), (COLD[1], 5.0 * 3.0 * 2.0)]);
    }
}
