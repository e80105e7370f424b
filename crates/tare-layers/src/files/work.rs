//! Working folders in tare's cache: what is being made there has no other name until it is whole. Whoever makes it holds a lock on
//! the folder, so that what a killed tare has left is told from it.

use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tare_keeper::remove_with_mounts;
use tempfile::{Builder, TempDir};

/// What the name of each begins with.
const PREFIX: &str = ".making-";

/// A working folder, removed with everything in it unless it is moved to where it belongs.
#[derive(Debug)]
pub(crate) struct Work {
    folder: TempDir,
    _lives: Flock<File>,
}

impl Work {
    /// A new one in `parent`, for this user alone.
    pub fn new_in(parent: &Path) -> io::Result<Work> {
        loop {
            let folder = Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            // Before it is locked, somebody else may take it for abandoned.
            if let Some(_lives) = alone(folder.path())? {
                return Ok(Work { folder, _lives });
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives it the name `kept`, unless another tare was faster and something is there.
    pub fn move_to(self, kept: &Path) -> io::Result<()> {
        match fs::rename(self.folder.path(), kept) {
            Ok(()) => drop(self.folder.keep()), // its name is gone; nothing is left to remove
            Err(_) if kept.is_dir() => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }
}

/// The lock of the folder `path`; `None` where somebody else has it, or has removed the folder.
fn alone(path: &Path) -> io::Result<Option<Flock<File>>> {
    let file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let locked = Flock::lock(file, FlockArg::LockExclusiveNonblock).ok();
    Ok(locked.filter(|file| file.metadata().is_ok_and(|found| found.nlink() > 0)))
}

/// Removes the folder `path` with all that is mounted in it, unless somebody works in it; whether it did.
pub(crate) fn remove_abandoned(path: &Path) -> io::Result<bool> {
    let Some(_alone) = alone(path)? else { return Ok(false) };
    remove_with_mounts(path)?;
    Ok(true)
}

/// Removes what killed tares have left unfinished in `cache`; those folders. What cannot be removed is tried again the next time.
pub fn remove_unfinished(cache: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let is_work = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
    };
    let mut removed = Vec::new();
    let mut open = vec![(cache.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for path in below(&folder) {
            if !is_work(&path) {
                open.extend((depth < DEEPEST).then_some((path, depth + 1)));
            } else if remove_abandoned(&path).unwrap_or(false) {
                removed.push(path);
            }
        }
    }
    removed
}

/// How far below the cache they may lie: `roots/KEY/.making-*` is the deepest.
const DEEPEST: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_works_in_is_removed_and_nothing_else() {
        let cache = tempfile::tempdir().unwrap();
        let root = cache.path().join("roots/key");
        fs::create_dir_all(root.join("tree/.making-own")).unwrap();
        let living = Work::new_in(cache.path()).unwrap();
        let moved = Work::new_in(&root).unwrap();
        moved.move_to(&root.join("whole")).unwrap();
        let left = [
            root.join(".making-a"),
            cache.path().join("roots/.making-b"),
            cache.path().join(".making-c"),
        ];
        left.iter().for_each(|path| fs::create_dir_all(path.join("tree")).unwrap());
        let mut removed = remove_unfinished(cache.path());
        removed.sort();
        let mut expected = left.to_vec();
        expected.sort();
        assert_eq!(removed, expected);
        assert!(living.path().is_dir() && root.join("whole").is_dir());
        assert!(root.join("tree/.making-own").is_dir(), "a file of a root's own");
        drop(living);
        assert_eq!(remove_unfinished(cache.path()), Vec::<PathBuf>::new());
    }
}
