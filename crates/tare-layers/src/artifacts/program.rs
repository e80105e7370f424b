//! A program out of a package with the libraries of all packages that it depends on, as one tree: it runs where nothing else is.

use super::package::{self, Apt, PackageError};
use crate::{Host, Unavailable};
use std::path::{Path, PathBuf};
use std::{fs, io};

pub(crate) struct Packed<'a> {
    pub(crate) package: &'a str,
    /// Which of its files, as tar knows them: `./usr/bin/*`. Each must match something.
    pub(crate) members: &'a [&'a str],
    /// The same of more packages.
    pub(crate) data: &'a [(&'a str, &'a [&'a str])],
    /// The folder of libraries of its architecture: `powerpc64le-linux-gnu`.
    pub(crate) triplet: &'a str,
}

impl Packed<'_> {
    /// Where they are; extracted if they are not yet.
    pub(crate) fn tree(&self, apt: &Apt, host: &Host) -> Result<PathBuf, Unavailable> {
        let folder = host.cache.join("packages");
        let data = self.data.iter().flat_map(|(_, members)| *members);
        let members: Vec<&str> = self.members.iter().chain(data).copied().collect();
        let tag = package::tag(&[&members[..], &[self.triplet, "with libraries"]].concat());
        if let Some(known) = package::cached(&folder, self.package, &tag) {
            return Ok(known);
        }
        let libraries = package::libraries_of(apt, self.package)?;
        let made = package::keep_tree(&folder, &tag, |work| self.extract(apt, &libraries, work));
        made.map_err(|why| {
            let why = format!("the package {} is not available: {why}", self.package);
            Unavailable::new(why, "as root: apt-get update")
        })
    }

    /// Extracts all of it into the empty folder `work`; what the program's package is called, with its version.
    fn extract(
        &self,
        apt: &Apt,
        libraries: &[String],
        work: &Path,
    ) -> Result<String, PackageError> {
        let text = PackageError::folder(work);
        let name = package::extract_only(apt, self.package, self.members, work)?;
        for (package, members) in self.data {
            package::extract_only(apt, package, members, work)?;
        }
        let beside = work.join("beside");
        let whole = beside.join("whole");
        fs::create_dir_all(&whole).map_err(text)?;
        for archive in package::download(apt, libraries, &beside)? {
            package::untar(&archive, &["./*"], &whole).map_err(text)?;
        }
        let own = format!("lib/{}", self.triplet);
        for place in [&own, &format!("usr/{own}"), "lib64", "usr/lib64"] {
            move_libraries(&whole.join(place), &work.join(place)).map_err(text)?;
        }
        fs::remove_dir_all(&beside).map_err(text)?;
        Ok(name)
    }
}

/// Moves the libraries of the folder `from`, if it is there, to `to`.
fn move_libraries(from: &Path, to: &Path) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    fs::create_dir_all(to)?;
    for entry in entries {
        let name = entry?.file_name();
        let is_library = |name: &str| name.starts_with('l') && name.contains(".so");
        if is_library(&name.to_string_lossy()) {
            fs::rename(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_moved_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("a/to"));
        fs::create_dir_all(from.join("gio")).unwrap();
        for name in ["libc.so.6", "ld64.so.2", "libfdt.a", "gconv-modules"] {
            fs::write(from.join(name), "").unwrap();
        }
        move_libraries(&from, &to).unwrap();
        move_libraries(Path::new("/no/such"), &to).unwrap();
        let mut moved: Vec<_> =
            fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        moved.sort();
        assert_eq!(moved, ["ld64.so.2", "libc.so.6"]);
    }
}
