//! An initramfs that holds the probe and what a layer adds, written for each boot: it takes a
//! millisecond, and a cached one could be stale or half-written.

use crate::{BootSpec, Host, Saved};
use cpio::newc::Builder;
use nix::unistd::{getegid, geteuid};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tare_proto::{SCRIPT, ToProbe, encode};

/// Where the probe mounts file systems.
const FOLDERS: &[&str] = &["dev", "proc", "sys", "tmp", "root"];

/// Folders that older distributions have beside `/usr` and newer ones in it.
const MERGED: &[&str] = &["bin", "lib", "lib64", "sbin"];

/// Writes an initramfs with the probe into the boot's folder, with `modules` for the probe to load in their order;
/// where it is.
pub(crate) fn write(host: &Host, boot: &BootSpec, modules: &[PathBuf]) -> io::Result<PathBuf> {
    let path = boot.shared_folder().join("initramfs");
    if matches!(boot.saved, Saved::From(_)) {
        return Ok(path); // as it was made for the layer that was saved
    }
    let mut archive = Initramfs::new(host, &path)?;
    archive.modules(modules)?;
    archive.finish()
}

/// The same, to be finished, with a script, which the probe follows instead of its line.
pub(crate) fn scripted(
    host: &Host,
    boot: &BootSpec,
    modules: &[PathBuf],
    script: &str,
) -> io::Result<Initramfs> {
    let mut archive = Initramfs::new(host, &boot.folder.join("initramfs"))?;
    archive.modules(modules)?;
    archive.file(SCRIPT, script.as_bytes())?;
    Ok(archive)
}

/// What the host would say on the line.
pub(crate) fn script(boot: &BootSpec) -> String {
    let asked = boot.script.iter().map(|request| encode(&ToProbe::Run(request.clone())));
    asked.chain([encode(&ToProbe::Quit)]).collect()
}

/// An initramfs under construction: the probe is its `/init`. Names may begin with a slash.
pub(crate) struct Initramfs {
    archive: BufWriter<File>,
    path: PathBuf,
    folders: BTreeSet<String>,
}

impl Initramfs {
    pub(crate) fn new(host: &Host, path: &Path) -> io::Result<Initramfs> {
        let archive = BufWriter::new(File::create(path)?);
        let folders = BTreeSet::new();
        let mut initramfs = Initramfs { archive, path: path.to_owned(), folders };
        for folder in FOLDERS {
            initramfs.folder(folder)?;
        }
        // The kernel opens the console before anything is mounted.
        let console = Builder::new("dev/console").mode(0o020_600).rdev_major(5).rdev_minor(1);
        initramfs.entry(console, &[])?;
        initramfs.file("init", &fs::read(&host.probe)?)?;
        Ok(initramfs)
    }

    /// Adds a folder, and those above it, unless they are there.
    pub(crate) fn folder(&mut self, name: &str) -> io::Result<()> {
        self.folder_as(name, |name| Builder::new(name).mode(0o040_755))
    }

    fn folder_as(&mut self, name: &str, entry: impl Fn(&str) -> Builder) -> io::Result<()> {
        let name = name.trim_matches('/');
        if name.is_empty() || self.folders.contains(name) {
            return Ok(());
        }
        self.above(name)?;
        self.folders.insert(name.to_owned());
        self.entry(entry(name), &[])
    }

    /// Adds an executable file, and the folders above it.
    pub(crate) fn file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.above(name)?;
        self.entry(Builder::new(name.trim_matches('/')).mode(0o100_755), content)
    }

    /// Adds a symbolic link, and the folders above it.
    pub(crate) fn link(&mut self, name: &str, target: &str) -> io::Result<()> {
        self.above(name)?;
        self.entry(Builder::new(name.trim_matches('/')).mode(0o120_777), target.as_bytes())
    }

    /// Adds everything below `folder`, in the order of names. `/bin`, `/lib` and the like go to `/usr`, where
    /// [`Initramfs::merge_usr`] leads.
    pub(crate) fn tree(&mut self, folder: &Path) -> io::Result<()> {
        self.below(folder, "", false)
    }

    pub(crate) fn tree_in(&mut self, name: &str, folder: &Path) -> io::Result<()> {
        self.folder(name)?;
        self.below(folder, name, false)
    }

    /// The same with the owners and modes that the files have; what belongs to this user belongs to root in there. Devices,
    /// sockets and pipes are left out.
    pub(crate) fn root_in(&mut self, name: &str, folder: &Path) -> io::Result<()> {
        self.folder(name)?;
        self.below(folder, name, true)
    }

    /// Makes `/bin`, `/lib` and the like links to those in `/usr`, as distributions do now.
    pub(crate) fn merge_usr(&mut self) -> io::Result<()> {
        MERGED.iter().try_for_each(|name| self.link(name, &format!("usr/{name}")))
    }

    fn below(&mut self, folder: &Path, name: &str, owned: bool) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let file = entry.file_name().to_string_lossy().into_owned();
            let merged = name.is_empty() && MERGED.contains(&file.as_str());
            let name = format!("{name}{}/{file}", if merged { "/usr" } else { "" });
            let path = entry.path();
            let kind = entry.file_type()?;
            let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
            if kind.is_dir() {
                let found = entry.metadata()?;
                match owned {
                    true => self.folder_as(&name, |name| with_owner(name, &found))?,
                    false => self.folder(&name)?,
                }
                self.below(&path, &name, owned)?;
            } else if kind.is_symlink() {
                self.link(&name, &fs::read_link(&path)?.to_string_lossy())?;
            } else if owned && kind.is_file() {
                let content = fs::read(&path).map_err(named)?;
                self.entry(with_owner(&name, &entry.metadata()?), &content)?;
            } else if !owned {
                self.file(&name, &fs::read(&path).map_err(named)?)?;
            }
        }
        Ok(())
    }

    fn above(&mut self, name: &str) -> io::Result<()> {
        let parent = name.trim_matches('/').rsplit_once('/');
        parent.map_or(Ok(()), |(above, _)| self.folder(above))
    }

    /// Adds kernel modules for the probe to load in their order.
    pub(crate) fn modules(&mut self, modules: &[PathBuf]) -> io::Result<()> {
        for (number, module) in modules.iter().enumerate() {
            let name = module.file_stem().unwrap_or_default().to_string_lossy();
            self.file(&format!("modules/{number:02}-{name}"), &fs::read(module)?)?;
        }
        Ok(())
    }

    /// Ends the archive; where it is.
    pub(crate) fn finish(mut self) -> io::Result<PathBuf> {
        cpio::newc::trailer(&mut self.archive)?;
        self.archive.flush()?;
        Ok(self.path)
    }

    fn entry(&mut self, entry: Builder, content: &[u8]) -> io::Result<()> {
        let mut writer = entry.nlink(1).write(&mut self.archive, content.len() as u32);
        writer.write_all(content)?;
        writer.finish().map(drop)
    }
}

fn with_owner(name: &str, found: &fs::Metadata) -> Builder {
    let own = |id: u32, mine: u32| if id == mine { 0 } else { id };
    let uid = own(found.uid(), geteuid().as_raw());
    let gid = own(found.gid(), getegid().as_raw());
    Builder::new(name.trim_matches('/')).mode(found.mode()).uid(uid).gid(gid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpio::newc::Reader;
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;

    /// Name, mode and content of every entry.
    fn entries(archive: &Path) -> Vec<(String, u32, String)> {
        let mut input = File::open(archive).unwrap();
        let mut found = Vec::new();
        loop {
            let mut reader = Reader::new(input).unwrap();
            if reader.entry().is_trailer() {
                return found;
            }
            let mut content = Vec::new();
            reader.read_to_end(&mut content).unwrap();
            let entry = reader.entry();
            let content = String::from_utf8_lossy(&content).into_owned();
            found.push((entry.name().to_owned(), entry.mode(), content));
            input = reader.finish().unwrap();
        }
    }

    #[test]
    fn a_tree_is_added_in_order_with_the_folders_above_it() {
        let place = tempfile::tempdir().unwrap();
        let tree = place.path().join("tree");
        fs::create_dir_all(tree.join("lib/deep")).unwrap();
        fs::create_dir_all(tree.join("etc")).unwrap();
        fs::write(tree.join("lib/deep/b.so"), "b").unwrap();
        std::os::unix::fs::symlink("b.so", tree.join("lib/deep/a.so")).unwrap();
        fs::write(place.path().join("probe"), "probe").unwrap();
        let host = Host::new(place.path().join("probe"), "/cache".into());
        let mut archive = Initramfs::new(&host, &place.path().join("archive")).unwrap();
        archive.merge_usr().unwrap();
        archive.tree(&tree).unwrap();
        archive.file("/usr/lib/c", b"c").unwrap();
        archive.tree_in("/bundle", &tree.join("lib")).unwrap();
        let all = entries(&archive.finish().unwrap());
        let after = all.iter().position(|(name, ..)| name == "sbin").unwrap() + 1;
        let rest: Vec<_> = all[after..].iter().map(|(n, m, c)| (&n[..], m >> 12, &c[..])).collect();
        let wanted = [
            ("etc", 0o4, ""),
            ("usr", 0o4, ""),
            ("usr/lib", 0o4, ""),
            ("usr/lib/deep", 0o4, ""),
            ("usr/lib/deep/a.so", 0o12, "b.so"),
            ("usr/lib/deep/b.so", 0o10, "b"),
            ("usr/lib/c", 0o10, "c"),
            ("bundle", 0o4, ""),
            ("bundle/deep", 0o4, ""),
            ("bundle/deep/a.so", 0o12, "b.so"),
            ("bundle/deep/b.so", 0o10, "b"),
        ];
        assert_eq!(rest, wanted);
        assert!(all.contains(&("lib".into(), 0o120_777, "usr/lib".into())));
    }

    #[test]
    fn a_folder_of_a_root_keeps_its_mode_beside_a_link() {
        let place = tempfile::tempdir().unwrap();
        let shared = place.path().join("root/shared");
        fs::create_dir_all(&shared).unwrap();
        std::os::unix::fs::symlink("nowhere", shared.join("link")).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
        fs::write(place.path().join("probe"), "probe").unwrap();
        let host = Host::new(place.path().join("probe"), "/cache".into());
        let mut archive = Initramfs::new(&host, &place.path().join("archive")).unwrap();
        archive.root_in("/own", &place.path().join("root")).unwrap();
        let all = entries(&archive.finish().unwrap());
        let own: Vec<_> = all.iter().filter(|(name, ..)| name.starts_with("own")).collect();
        let modes: Vec<_> = own.iter().map(|(name, mode, _)| (&name[..], *mode)).collect();
        let wanted =
            [("own", 0o040_755), ("own/shared", 0o041_777), ("own/shared/link", 0o120_777)];
        assert_eq!(modes, wanted);
    }
}
