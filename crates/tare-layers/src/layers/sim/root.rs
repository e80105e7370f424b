//! The root of programs in the simulated machine: the files of a folder, in the memory of the kernel that runs the programs. A
//! disk of the host's would answer when the host likes, and figures would not repeat.

use crate::artifacts::initramfs::Initramfs;
use crate::attach::root::Root;
use crate::{Program, Setting, SettingError, Settings, Unavailable};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tare_proto::{ROOT, ROOT_FOLDER};

pub(super) const SETTING: Setting = Setting {
    key: "root",
    about: "what programs see: none (default), or a folder, whose files are copied into the machine's memory",
};

/// Where the guest has it.
pub(super) const PLACE: &str = "/programs";

/// The largest that may be had, in MiB: the machine holds it up to five times, and loads it below 4 GiB.
const MOST: u64 = 1024;

/// A folder that programs see as their root.
pub(super) struct Tree {
    root: Root,
    /// Of all files, rounded up.
    mib: u64,
}

impl Tree {
    /// Reads the setting; `None` when there is no root.
    pub(super) fn read(settings: &Settings) -> Result<Option<Tree>, SettingError> {
        if let Some("host" | "/") = settings.get(SETTING.key) {
            let why = "root: the simulated machine sees none of this host's files; give a folder, or the command a root of \
                       its own (--root)";
            return Err(SettingError(why.into()));
        }
        let tree = |root: Root| Tree { mib: bytes(&root.lower).div_ceil(1 << 20), root };
        Ok(Root::read(settings)?.map(tree))
    }

    /// Whether the folder is there, and its files fit.
    pub(super) fn check(&self) -> Result<(), Unavailable> {
        self.root.check_folder()?;
        if self.mib <= MOST {
            return Ok(());
        }
        let mib = self.mib;
        let place = self.root.lower.display();
        Err(Unavailable::new(
            format!(
                "the files of {place} take {mib} MiB, and a root in the simulated machine's memory may take {MOST}"
            ),
            "give a root with fewer packages or files (--root)",
        ))
    }

    /// Memory that it takes while a kernel unpacks it, in MiB: as an archive and as files.
    pub(super) fn memory(&self) -> u64 {
        2 * self.mib
    }

    pub(super) fn argument(&self) -> String {
        format!("{ROOT}={ROOT_FOLDER}{PLACE}")
    }

    pub(super) fn add_to(&self, archive: &mut Initramfs) -> io::Result<()> {
        archive.root_in(PLACE, &self.root.lower)
    }

    /// Adds what it is made of to the record of the layer.
    pub(super) fn record(&self, program: &mut Program) {
        self.root.record(program);
    }
}

/// The bytes of all files below `folder`, as whole pages; what cannot be read is missed later, by whoever copies it.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes(&entry.path()),
        Ok(found) => found.size().next_multiple_of(4096),
        Err(_) => 0,
    };
    entries.map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_twice_its_pages_and_the_hosts_files_are_not_had() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("bin/large"), vec![0; (1 << 20) + 1]).unwrap();
        let read = |root: &str| Tree::read(&Settings::parse(&format!("x,root={root}")).unwrap());
        let tree = read(&folder.path().display().to_string()).unwrap().expect("a root");
        assert_eq!(tree.memory(), 4);
        assert!(tree.check().is_ok());
        assert!(read("none").unwrap().is_none());
        for of_host in ["host", "/"] {
            assert!(read(of_host).err().unwrap().to_string().contains("--root"));
        }
        let vast = fs::File::create(folder.path().join("vast")).unwrap();
        vast.set_len(2 << 30).unwrap();
        let refused = read(&folder.path().display().to_string()).unwrap().unwrap().check();
        assert!(refused.unwrap_err().why.contains("1024"));
        assert!(read("/no/such").unwrap().unwrap().check().is_err());
    }
}
