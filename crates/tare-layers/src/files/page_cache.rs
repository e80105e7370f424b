//! Drops files from the page cache, so that a start has to read them again.
//!
//! posix_fadvise(2) does that for one file, without root and without disturbing anybody else; /proc/sys/vm/drop_caches would drop
//! everything on the host. What another process has mapped stays, and so do directories and inodes.

use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};
use nix::unistd::geteuid;
use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What was dropped of some files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Files that lie on a disk.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Bytes that were cached before, and after; `None` where this user may not see that of one of them.
    pub cached: Option<(u64, u64)>,
}

/// Drops `files` from the page cache. Those that cannot be opened, or lie in memory anyway, are passed over.
pub fn drop_cached<'a>(files: impl IntoIterator<Item = &'a Path>) -> Dropped {
    let mut all = Dropped { cached: Some((0, 0)), ..Dropped::default() };
    for file in files {
        let Ok((bytes, cached)) = drop_one(file) else { continue };
        all.files += 1;
        all.bytes += bytes;
        all.cached = all.cached.zip(cached).map(|(sum, one)| (sum.0 + one.0, sum.1 + one.1));
    }
    all
}

/// Drops one file: its size, and what of it was cached before and after.
fn drop_one(path: &Path) -> io::Result<(u64, Option<(u64, u64)>)> {
    let file = File::open(path)?;
    if fstatfs(&file)?.filesystem_type() == TMPFS_MAGIC {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let before = cached(&file);
    let _ = file.sync_data(); // what is not on the disk yet is not dropped
    posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?;
    Ok((file.metadata()?.len(), before.zip(cached(&file))))
}

/// Bytes of `file` that are in the page cache. The kernel tells only root and the file's owner.
fn cached(file: &File) -> Option<u64> {
    let meta = file.metadata().ok()?;
    let user = geteuid();
    if !user.is_root() && meta.uid() != user.as_raw() {
        return None;
    }
    let Some(length) = NonZeroUsize::new(meta.len() as usize) else { return Some(0) };
    resident(file, length).ok()
}

fn resident(file: &File, length: NonZeroUsize) -> io::Result<u64> {
    use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
    // SAFETY: sysconf has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let mut pages = vec![0u8; length.get().div_ceil(page)];
    // SAFETY: a new mapping, placed by the kernel; nothing of it is read.
    let map = unsafe { mmap(None, length, ProtFlags::PROT_READ, MapFlags::MAP_SHARED, file, 0) }?;
    // SAFETY: the mapping has that length, and there is a byte for each of its pages.
    let done = unsafe { libc::mincore(map.as_ptr(), length.get(), pages.as_mut_ptr()) };
    let found = if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    // SAFETY: it was made above, and nothing points into it.
    unsafe { munmap(map, length.get()) }?;
    found?;
    Ok(pages.iter().filter(|page| **page & 1 == 1).count() as u64 * page as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_on_a_disk_is_dropped_and_one_that_is_not_there_is_passed_over() {
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&[1; 1 << 20]).unwrap();
        let dropped = drop_cached([file.path(), Path::new("/not/there")]);
        assert_eq!((dropped.files, dropped.bytes), (1, 1 << 20));
        let (before, after) = dropped.cached.unwrap();
        assert_eq!(before, 1 << 20);
        assert!(after < before, "{after}");
    }
}
