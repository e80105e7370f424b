//! Writes files that users name: whole or not at all, and never through another user's link.

use anyhow::{Context, Result, bail};
use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::libc;
use nix::unistd::linkat;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// The mode of a new file, less the umask.
const USUAL: u32 = 0o666;

/// So many links lead to a file at most, as in the kernel.
const LINKS: usize = 40;

/// Puts `content` into the file `path`, as [`put`] does.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    put(path, |file| Ok(file.write_all(content)?))
}

/// Writes the file `path` by `write`: a regular file appears whole or not at all, under a name that nobody can guess until
/// then; what is no file (a FIFO, `/dev/stdout`) is written to as it is.
///
/// # Errors
/// What `write` fails with; a path that cannot be written, is a disk, or is another user's link.
pub fn put(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let put = target(path).and_then(|target| match target {
        Target::File(path) => whole(&path, write),
        Target::Stream(path, flags) => {
            let flags = flags | libc::O_NOCTTY;
            let opened = OpenOptions::new().append(true).custom_flags(flags).open(path);
            write(&mut opened?)
        }
    });
    put.with_context(|| format!("cannot write {}", path.display()))
}

/// Where what is written to a path goes.
enum Target {
    /// A regular file, there or not yet.
    File(PathBuf),
    /// What is written to in place, and how it is to be opened.
    Stream(PathBuf, i32),
}

/// Follows the links that `named` is, as long as they are this user's or root's: those of others may lead anywhere.
fn target(named: &Path) -> Result<Target> {
    let mut path = named.to_owned();
    for _ in 0..LINKS {
        let found = match fs::symlink_metadata(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Target::File(path)),
            found => found?,
        };
        if !found.is_symlink() {
            return of_kind(path, &found, libc::O_NOFOLLOW);
        }
        if ![0, nix::unistd::geteuid().as_raw()].contains(&found.uid()) {
            bail!("{} is a symbolic link of another user (uid {})", path.display(), found.uid());
        }
        // What such a link leads to may have no other name: /dev/stdout is a pipe.
        if path.starts_with("/proc") {
            return Ok(Target::Stream(path, 0));
        }
        let to = fs::read_link(&path)?;
        path = folder(&path).join(to);
    }
    bail!("it leads through more than {LINKS} symbolic links")
}

fn of_kind(path: PathBuf, found: &fs::Metadata, flags: i32) -> Result<Target> {
    let kind = found.file_type();
    if kind.is_dir() {
        bail!("it is a folder");
    }
    if kind.is_block_device() {
        bail!("it is a disk, whose contents would be lost");
    }
    Ok(if kind.is_file() { Target::File(path) } else { Target::Stream(path, flags) })
}

/// A new file in the place of `path`, with the mode of the old one, if there is one.
fn whole(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let old = fs::metadata(path).ok().map(|old| old.permissions());
    let filled = |file: &mut File| {
        old.iter().try_for_each(|old| file.set_permissions(old.clone()))?;
        write(file)
    };
    let mut names = Builder::new();
    names.prefix(".tare-").permissions(Permissions::from_mode(USUAL));
    // Without a name until it is whole: whoever is killed before leaves nothing.
    let flags = libc::O_TMPFILE | libc::O_CLOEXEC;
    let Ok(mut nameless) =
        OpenOptions::new().write(true).mode(USUAL).custom_flags(flags).open(folder(path))
    else {
        let mut fresh = names.tempfile_in(folder(path))?;
        filled(fresh.as_file_mut())?;
        // Closed first: a program that is still open for writing cannot be run.
        return Ok(fresh.into_temp_path().persist(path)?);
    };
    filled(&mut nameless)?;
    let of = |file: &File| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let held = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(of(&nameless))?;
    drop(nameless); // as above
    let link = |name: &Path| -> std::io::Result<()> {
        Ok(linkat(AT_FDCWD, &of(&held), AT_FDCWD, name, AtFlags::AT_SYMLINK_FOLLOW)?)
    };
    match link(path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            Ok(names.make_in(folder(path), link)?.into_temp_path().persist(path)?)
        }
        linked => Ok(linked?),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_name_before_it_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let names = || fs::read_dir(place.path()).unwrap().count();
        for (there, text) in [(0, "new"), (1, "again")] {
            let write = |file: &mut File| {
                assert_eq!(names(), there, "who is killed now leaves nothing");
                Ok(file.write_all(text.as_bytes())?)
            };
            put(&path, write).unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), (text, 1));
        }
    }
}
