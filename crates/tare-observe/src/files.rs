//! The files whose code was found: opened where they are still the ones that were mapped.
//!
//! A process that lives says itself which file it has mapped (`/proc/PID/map_files`). Of one that has ended there is the path. A file at that
//! path, below a folder that the layer's processes see as their root, is opened where the kernel's record of the mapping proves that it is the
//! same file: by its build ID, or by its device and its number there.

use crate::elf::Code;
use crate::images::maps;
use crate::record::{Identity, Mapping};
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
use nix::sys::stat::Mode;
use std::collections::HashMap;
use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// A larger file is not read.
const LARGEST: u64 = 1 << 30;

/// Most files whose functions are kept.
const KEPT: usize = 256;

/// Most files that are read for one window.
const READ: usize = 64;

/// Which files of a layer's processes may be opened for the names of their functions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    /// Whether the measured program's are, too: where it runs on the host's own kernel. Elsewhere they may be a guest's memory.
    pub of_program: bool,
    /// Folders that processes of the layer see as their root, with the same files below.
    pub roots: Vec<PathBuf>,
}

/// What was read, by the file's device, its number there, and when it was changed.
type Known = HashMap<(u64, u64, SystemTime), Arc<Code>>;

/// The files of one window.
pub(crate) struct Opened<'a> {
    roots: &'a [PathBuf],
    /// How many more may be read.
    left: usize,
    /// What was looked for already: by the process, and when it mapped the file where.
    found: HashMap<(u32, u64, u64), Option<Arc<Code>>>,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(files: &'a Files) -> Opened<'a> {
        Opened { roots: &files.roots, left: READ, found: HashMap::new() }
    }

    /// The code of the file that is mapped; `None` where nobody knows that a file is the same.
    pub(crate) fn code(&mut self, mapping: &Mapping) -> Option<Arc<Code>> {
        let key = (mapping.pid, mapping.time, mapping.begin);
        if let Some(known) = self.found.get(&key) {
            return known.clone();
        }
        let found = self.of_living(mapping).or_else(|| self.at_path(mapping));
        self.found.insert(key, found.clone());
        found
    }

    /// The file itself, whichever root its process has.
    fn of_living(&mut self, mapping: &Mapping) -> Option<Arc<Code>> {
        let Mapping { pid, begin, end, .. } = *mapping;
        let place = format!("/proc/{pid}/map_files/{begin:x}-{end:x}");
        let file = open(place.as_str(), OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
        let code = self.read(&file)?;
        let same = |now: &Mapping| {
            (now.begin, now.end) == (begin, end) && now.identity == mapping.identity
        };
        // The process may have become another program since, which has mapped another file there.
        let is_same = match &mapping.identity {
            Identity::Unknown => mapping.time == 0,
            Identity::BuildId(id) => code.build_id.as_ref() == Some(id),
            Identity::Inode { .. } => maps(pid).iter().any(same),
        };
        is_same.then_some(code)
    }

    /// The file that lies where the mapped one did.
    fn at_path(&mut self, mapping: &Mapping) -> Option<Arc<Code>> {
        let path = mapping.file.strip_prefix('/')?;
        self.roots.iter().find_map(|root| {
            let flags = OFlag::O_PATH | OFlag::O_CLOEXEC;
            let folder = open(root, flags | OFlag::O_DIRECTORY, Mode::empty()).ok()?;
            let resolve = ResolveFlag::RESOLVE_IN_ROOT | ResolveFlag::RESOLVE_NO_MAGICLINKS;
            let how = OpenHow::new().flags(flags).resolve(resolve);
            let file = openat2(&folder, path, how).ok()?;
            match &mapping.identity {
                Identity::Unknown => None,
                Identity::BuildId(id) => {
                    self.read(&file).filter(|code| code.build_id.as_ref() == Some(id))
                }
                Identity::Inode { device, inode } => {
                    let about = fs::metadata(itself(&file)).ok()?;
                    let is_same = (about.dev(), about.ino()) == (*device, *inode);
                    is_same.then(|| self.read(&file))?
                }
            }
        })
    }

    /// What a file holds, read once for each file, whatever it is called and by whom. Only regular files are opened to be read: a device does
    /// something when it is opened, and a pipe waits.
    fn read(&mut self, file: &OwnedFd) -> Option<Arc<Code>> {
        static ALL: Mutex<Option<Known>> = Mutex::new(None);
        let itself = itself(file);
        let about = fs::metadata(&itself).ok().filter(|it| it.is_file() && it.len() <= LARGEST)?;
        let key = (about.dev(), about.ino(), about.modified().ok()?);
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_default();
        if let Some(known) = all.get(&key) {
            return Some(known.clone());
        }
        self.left = self.left.checked_sub(1)?;
        if all.len() >= KEPT {
            all.clear();
        }
        let code = Arc::new(Code::read(File::open(itself).ok()?).unwrap_or_default());
        all.insert(key, code.clone());
        Some(code)
    }
}

/// The file behind a descriptor, by a name.
fn itself(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// The mapping of this program that has `at`.
    fn own(at: u64) -> Mapping {
        let own = maps(std::process::id());
        own.into_iter().find(|one| (one.begin..one.end).contains(&at)).unwrap()
    }

    fn function(files: &Files, mapping: &Mapping, at: u64) -> Option<String> {
        let code = Opened::new(files).code(mapping)?;
        code.function(at.checked_sub(mapping.begin)? + mapping.offset).map(str::to_owned)
    }

    #[test]
    fn a_function_of_a_program_that_lives_is_told() {
        let at = itself as *const () as u64;
        let (mapping, none) = (own(at), Files::default());
        let found = function(&none, &mapping, at + 1).unwrap();
        assert!(found.contains("itself"), "{found}");
        assert_eq!(function(&none, &mapping, mapping.begin.wrapping_sub(1)), None);
        let gone = Mapping { pid: u32::MAX, ..mapping.clone() };
        assert_eq!(function(&none, &gone, at), None);
        let other = Identity::Inode { device: 1, inode: 1 };
        let replaced = Mapping { time: 5, identity: other, ..mapping };
        assert_eq!(function(&none, &replaced, at), None, "another file at the same place");
    }

    #[test]
    fn a_program_that_has_ended_is_told_where_its_file_is_proved_to_be_the_same() {
        let at = itself as *const () as u64;
        let living = own(at);
        let code = Opened::new(&Files::default()).code(&living).unwrap();
        let (folder, files) = (tempfile::tempdir().unwrap(), |root: PathBuf| Files {
            of_program: true,
            roots: vec![root],
        });
        let host = files("/".into());
        let of = |identity| Mapping { pid: u32::MAX, time: 5, identity, ..living.clone() };
        let by_number = of(living.identity.clone());
        assert!(function(&host, &by_number, at).is_some());
        assert_eq!(function(&host, &of(Identity::Unknown), at), None);
        assert_eq!(function(&host, &of(Identity::BuildId(vec![1; 20])), at), None);
        if let Some(id) = &code.build_id {
            let by_id = of(Identity::BuildId(id.clone()));
            assert!(function(&host, &by_id, at).is_some());
            assert_eq!(function(&files(folder.path().into()), &by_id, at), None);
            // A link leads nowhere but below the root.
            let bin = folder.path().join("bin");
            std::os::unix::fs::symlink(&by_id.file, &bin).unwrap();
            let linked = Mapping { file: "/bin".into(), ..by_id };
            assert_eq!(function(&files(folder.path().into()), &linked, at), None);
        }
        // Neither a pipe nor a device is opened.
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.to_str().unwrap(), "/dev/null", "/", "//anon"] {
            let about = fs::metadata(path).map(|it| (it.dev(), it.ino())).unwrap_or_default();
            let identity = Identity::Inode { device: about.0, inode: about.1 };
            let mapping = Mapping { file: path.into(), ..of(identity) };
            assert_eq!(function(&host, &mapping, at), None, "{path}");
        }
    }
}
