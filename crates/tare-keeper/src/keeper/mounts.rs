//! What is mounted below a folder, and how the folder is removed all the same: a file system that is mounted
//! there is never entered.

use nix::mount::{MntFlags, umount2};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Unmounts what is mounted below `folder` and removes it; one that is not there is no error. Fails, with
/// everything in place that is mounted, when something cannot be unmounted.
pub fn remove(folder: &Path) -> io::Result<()> {
    for place in below(folder, &fs::read_to_string(TABLE)?) {
        let flags = MntFlags::MNT_DETACH | MntFlags::UMOUNT_NOFOLLOW;
        let why = |e| io::Error::other(format!("{} is mounted there: {e}", place.display()));
        umount2(&place, flags).map_err(why)?;
    }
    let removed = match fs::remove_dir_all(folder) {
        // Whoever is not root may not enter what an overlay has made for itself, nor what a program has closed.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            open_all(folder);
            fs::remove_dir_all(folder)
        }
        done => done,
    };
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Lets this user enter `folder` and those in it, as far as they are the user's; links are not followed.
fn open_all(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700)); // what stays closed is named by its removal
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_all(&entry.path());
        }
    }
}

const TABLE: &str = "/proc/self/mountinfo";

/// What is mounted at or below `folder`, the last and so the deepest first.
fn below(folder: &Path, table: &str) -> Vec<PathBuf> {
    let places = table.lines().filter_map(|line| line.split(' ').nth(4));
    let places = places.map(|place| PathBuf::from(plain(place)));
    let mut places: Vec<PathBuf> = places.filter(|place| place.starts_with(folder)).collect();
    places.reverse();
    places
}

/// The mount points of control groups, of both versions.
pub fn of_cgroups() -> Vec<PathBuf> {
    cgroups(&fs::read_to_string(TABLE).unwrap_or_default())
}

fn cgroups(table: &str) -> Vec<PathBuf> {
    let is_cgroup = |line: &&str| {
        let kind = line.split_once(" - ").and_then(|(_, rest)| rest.split(' ').next());
        matches!(kind, Some("cgroup" | "cgroup2"))
    };
    let places = table.lines().filter(is_cgroup).filter_map(|line| line.split(' ').nth(4));
    places.map(|place| PathBuf::from(plain(place))).collect()
}

/// A path of the kernel's tables, which write blanks and backslashes as three octal digits.
pub fn plain(escaped: &str) -> String {
    let mut parts = escaped.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match digits {
            Some(byte) => bytes.extend([&[byte], &part.as_bytes()[3..]].concat()),
            None => bytes.extend([b"\\", part.as_bytes()].concat()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
        22 1 8:1 / / rw - ext4 /dev/a rw\n\
        30 22 0:5 / /tmp/tare-x/state/null-netns rw - nsfs nsfs rw\n\
        31 22 8:2 / /tmp/tare-x/a\\040b rw shared:7 - ext4 /dev/b rw\n\
        32 31 8:3 / /tmp/tare-x/a\\040b/c rw - ext4 /dev/c rw\n\
        33 22 8:4 / /tmp/tare-xy rw - ext4 /dev/d rw\n\
        34 22 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
        35 22 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn what_lies_below_is_unmounted_deepest_first() {
        let places = below(Path::new("/tmp/tare-x"), LINES);
        let expected = ["/tmp/tare-x/a b/c", "/tmp/tare-x/a b", "/tmp/tare-x/state/null-netns"];
        assert_eq!(places, expected.map(PathBuf::from));
        assert!(below(Path::new("/tmp/tare"), LINES).is_empty());
        let expected = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"].map(PathBuf::from);
        assert_eq!(cgroups(LINES), expected);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(plain("/a\\040b\\134c"), "/a b\\c");
        assert_eq!(plain("/a\\9\\04"), "/a\\9\\04");
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let kept = place.path().join("kept");
        let removed = place.path().join("removed");
        fs::create_dir_all(removed.join("closed/inner")).unwrap();
        open_all(&removed);
        fs::set_permissions(removed.join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "data").unwrap();
        std::os::unix::fs::symlink(&kept, removed.join("link")).unwrap();
        remove(&removed).unwrap();
        assert!(!removed.exists() && kept.join("file").exists());
        remove(&removed).unwrap();
    }
}
