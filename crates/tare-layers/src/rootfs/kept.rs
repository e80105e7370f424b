//! The roots in the cache: which there are, how large they are, and which go when there are too many.

use super::ROOTS;
use crate::Unavailable;
use crate::files::work;
use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file that says what a root was made of; its time is that of its last use, and its lock says that it is in use.
pub(super) const RECIPE: &str = "recipe";

/// Bytes that all roots may take before the one that was not used for longest goes.
const MOST: u64 = 20 << 30;

/// A root in the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptRoot {
    /// Its folder.
    pub folder: PathBuf,
    /// What `--root` said.
    pub recipe: String,
    /// What it takes on the disk, in bytes.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
}

/// A root that stays in the cache while this lives.
#[derive(Debug)]
pub struct HeldRoot {
    _used: Flock<File>,
}

/// The roots in `cache`, the last used first.
pub fn list(cache: &Path) -> io::Result<Vec<KeptRoot>> {
    let entries = match fs::read_dir(cache.join(ROOTS)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut all = Vec::new();
    for entry in entries {
        let folder = entry?.path();
        let recipe = folder.join(RECIPE);
        // What has no recipe is being made, or was left by a tare that was killed.
        let text = fs::read_to_string(&recipe).unwrap_or_else(|_| "unfinished".into());
        let used = fs::metadata(if recipe.exists() { &recipe } else { &folder });
        let Ok(used) = used.and_then(|found| found.modified()) else { continue };
        let bytes = size(&folder).unwrap_or(0);
        all.push(KeptRoot { folder, recipe: text, bytes, used });
    }
    all.sort_by_key(|root| std::cmp::Reverse(root.used));
    Ok(all)
}

/// Removes every root of `cache` that nothing uses; those that were removed.
pub fn clear(cache: &Path) -> io::Result<Vec<KeptRoot>> {
    let mut removed = Vec::new();
    for root in list(cache)? {
        if remove(&root)? {
            removed.push(root);
        }
    }
    Ok(removed)
}

/// Removes roots that were not used for longest until there is room for another.
pub(super) fn make_room(roots: &Path) -> io::Result<()> {
    let cache = roots.parent().unwrap_or(roots);
    let mut all = list(cache)?;
    let mut bytes: u64 = all.iter().map(|root| root.bytes).sum();
    while bytes > MOST
        && let Some(oldest) = all.pop()
    {
        if remove(&oldest)? {
            bytes = bytes.saturating_sub(oldest.bytes);
        }
    }
    Ok(())
}

/// Says that the root at `place` is used, as long as the lock lives.
pub(super) fn hold(place: &Path) -> io::Result<Flock<File>> {
    let path = place.join(RECIPE);
    let file = File::options().read(true).write(true).open(path)?;
    let used = Flock::lock(file, FlockArg::LockShared).map_err(|(_, errno)| errno)?;
    used.set_modified(SystemTime::now())?;
    match place.join(RECIPE).exists() {
        true => Ok(used),
        false => Err(io::ErrorKind::NotFound.into()), // it was removed meanwhile
    }
}

/// Holds the root that `path`, the tree or the image of one, belongs to; `None` for what is no part of the cache.
///
/// # Errors
/// A root that is not in the cache any more.
pub fn hold_again(cache: &Path, path: &Path) -> Result<Option<HeldRoot>, Unavailable> {
    let roots = cache.join(ROOTS);
    let Ok(inside) = path.strip_prefix(&roots) else { return Ok(None) };
    let Some(place) = inside.iter().next().map(|key| roots.join(key)) else { return Ok(None) };
    match hold(&place) {
        Ok(used) if path.exists() => Ok(Some(HeldRoot { _used: used })),
        _ => {
            let why = format!(
                "the root of its programs is not in tare's cache any more ({})",
                path.display()
            );
            Err(Unavailable::new(why, "begin a new campaign with 'tare run'"))
        }
    }
}

/// Removes a root unless something uses it or makes it.
fn remove(root: &KeptRoot) -> io::Result<bool> {
    let recipe = root.folder.join(RECIPE);
    if let Ok(file) = File::open(&recipe) {
        let Ok(_alone) = Flock::lock(file, FlockArg::LockExclusiveNonblock) else {
            return Ok(false);
        };
        fs::remove_dir_all(&root.folder)?;
        return Ok(true);
    }
    work::remove_abandoned(&root.folder)
}

/// What is on the disk below `folder`, each file once.
fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        bytes += 512 * found.blocks() / if found.is_dir() { 1 } else { found.nlink().max(1) };
        if found.is_dir() {
            bytes += size(&entry.path())?;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_is_held_is_not_cleared_and_one_that_is_gone_says_so() {
        let cache = tempfile::tempdir().unwrap();
        let tree = cache.path().join("roots/key/tree");
        fs::create_dir_all(&tree).unwrap();
        fs::write(cache.path().join("roots/key").join(RECIPE), "debian:bookworm").unwrap();
        let held = hold_again(cache.path(), &tree).unwrap().unwrap();
        assert!(clear(cache.path()).unwrap().is_empty(), "somebody uses it");
        drop(held);
        assert_eq!(clear(cache.path()).unwrap().len(), 1);
        let gone = hold_again(cache.path(), &tree).unwrap_err();
        assert!(gone.why.contains("not in tare's cache") && gone.remedy.contains("tare run"));
        assert!(hold_again(cache.path(), Path::new("/usr")).unwrap().is_none());
    }
}
