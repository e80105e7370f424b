//! Whether a device or file may be a layer's disk: its contents may be lost, and nothing uses it. The kernel can reserve a
//! device for one user, but not a file.

use crate::Unavailable;
use nix::fcntl::{FcntlArg, fcntl};
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A device or file may be overwritten only if that was said, and nobody may be using it.
pub(crate) fn given(path: &Path, destroy: bool) -> Result<(), Unavailable> {
    let name = path.display();
    let found = fs::metadata(path).map_err(|e| {
        Unavailable::new(format!("{name}: {e}"), "give a size, a device or a file to disk=")
    })?;
    let device = found.file_type().is_block_device();
    if !device && !found.is_file() {
        let why = format!("{name} is neither a device nor a file");
        return Err(Unavailable::new(why, "for a scratch image in a folder: disk=256M:FOLDER"));
    }
    if !destroy {
        return Err(Unavailable::new(
            format!("disk={name} would be overwritten"),
            "if nothing on it is needed, add --destroy-disk-contents",
        ));
    }
    let in_use = |by: &str| {
        Unavailable::new(format!("{name} is in use ({by})"), "give a disk that nothing uses")
    };
    // The kernel lets nobody have a device alone that is mounted, swapped to or part of another.
    let alone = if device { libc::O_EXCL } else { 0 };
    let opened = OpenOptions::new().read(true).write(true).custom_flags(alone).open(path);
    let file = opened.map_err(|e| match e.raw_os_error() {
        Some(libc::EBUSY) => in_use("mounted?"),
        _ => Unavailable::new(format!("{name}: {e}"), "run tare as a user who may write to it"),
    })?;
    match by(&file, path) {
        Some(user) if !device => Err(in_use(&user)),
        _ => Ok(()),
    }
}

/// Who uses `file`, which was opened at `path`, as a disk: a loop device, the kernel's swap, or a program that has
/// locked it, as QEMU does.
fn by(file: &File, path: &Path) -> Option<String> {
    let loops = loop_device(file, Path::new("/sys/block"));
    loops.or_else(|| swap(file, "/proc/swaps")).or_else(|| lock(file, path))
}

/// The loop device that has `file` behind it; known by device and inode, since names can differ.
fn loop_device(file: &File, devices: &Path) -> Option<String> {
    fs::read_dir(devices).ok()?.flatten().find_map(|device| {
        let backing = fs::read(device.path().join("loop/backing_file")).ok()?;
        let backing = String::from_utf8_lossy(&backing).trim_end_matches('\n').to_owned();
        is(file, &backing).then(|| format!("/dev/{}", device.file_name().to_string_lossy()))
    })
}

fn swap(file: &File, list: &str) -> Option<String> {
    let swaps = fs::read_to_string(list).ok()?;
    let mut names = swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    names
        .any(|name| is(file, &tare_keeper::unescaped(name)))
        .then(|| "the kernel swaps to it".into())
}

fn is(file: &File, path: &str) -> bool {
    let Ok(own) = file.metadata() else { return true };
    fs::metadata(PathBuf::from(path)).is_ok_and(|it| (it.dev(), it.ino()) == (own.dev(), own.ino()))
}

/// The lock that somebody holds on `file`.
fn lock(file: &File, path: &Path) -> Option<String> {
    // SAFETY: all of it are numbers, for which zero is a value: the whole file.
    let mut found: libc::flock = unsafe { std::mem::zeroed() };
    found.l_type = libc::F_WRLCK as i16;
    fcntl(file.as_fd(), FcntlArg::F_OFD_GETLK(&mut found)).ok()?;
    let held = i32::from(found.l_type) != libc::F_UNLCK;
    held.then(|| format!("a program has locked {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path) -> (File, PathBuf) {
        let path = folder.join("a disk");
        fs::write(&path, "data").unwrap();
        (File::options().read(true).write(true).open(&path).unwrap(), path)
    }

    #[test]
    fn a_loop_device_is_found_by_what_lies_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let (opened, path) = file(folder.path());
        let device = folder.path().join("block/loop7/loop");
        fs::create_dir_all(&device).unwrap();
        fs::create_dir_all(folder.path().join("block/sda")).unwrap();
        let devices = folder.path().join("block");
        assert_eq!(loop_device(&opened, &devices), None);
        let other_name = folder.path().join("another name");
        fs::hard_link(&path, &other_name).unwrap();
        for name in [&path, &other_name] {
            fs::write(device.join("backing_file"), format!("{}\n", name.display())).unwrap();
            assert_eq!(loop_device(&opened, &devices).as_deref(), Some("/dev/loop7"));
        }
        fs::write(device.join("backing_file"), "/no/such (deleted)\n").unwrap();
        assert_eq!(loop_device(&opened, &devices), None);
    }

    #[test]
    fn swap_and_locks_are_users() {
        let folder = tempfile::tempdir().unwrap();
        let (opened, path) = file(folder.path());
        assert_eq!(by(&opened, &path), None);
        let list = folder.path().join("swaps");
        let name = path.display().to_string().replace(' ', "\\040");
        fs::write(&list, format!("Filename Type\n{name} file 1 0 -2\n")).unwrap();
        assert!(swap(&opened, list.to_str().unwrap()).is_some());
        let other = File::options().read(true).write(true).open(&path).unwrap();
        // SAFETY: all of it are numbers, for which zero is a value.
        let mut whole: libc::flock = unsafe { std::mem::zeroed() };
        (whole.l_type, whole.l_start, whole.l_len) = (libc::F_RDLCK as i16, 100, 1);
        fcntl(other.as_fd(), FcntlArg::F_OFD_SETLK(&whole)).unwrap();
        assert!(by(&opened, &path).unwrap().contains("a disk"));
    }
}
