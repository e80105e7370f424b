//! Where what programs write lies: in memory, or on a disk of this host's.

use crate::attach::disk::{self, Attached};
use crate::{BootSpec, Program, Setting, SettingError, Settings, Unavailable};
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, access};
use std::path::{Path, PathBuf};
use std::{env, fs};
use tare_keeper::{Image, programs, unescaped};

/// The setting of every kind whose programs can have a root.
pub(crate) const SETTING: Setting = Setting {
    key: "scratch",
    about: "where what programs write lies: memory (default), disk (this host's), a folder there, or SIZE:FOLDER (a guest's disk of that size)",
};

/// How much a guest may write where nothing is said, in MiB. Blocks are taken from the host's disk only when they are written.
const USUAL_MIB: u64 = 8 << 10;

/// The least that has to be free on the disk, in MiB.
const LEAST_MIB: u64 = 64;

/// What says whether a disk is one: file systems that keep their files in memory.
const IN_MEMORY: [&str; 3] = ["tmpfs", "ramfs", "devtmpfs"];

/// A folder of this host's for what programs write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scratch {
    /// As it was said; what is wrong with it is for [`place`] to say.
    folder: PathBuf,
    /// What a guest may write, in MiB.
    mib: u64,
}

/// A folder on a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskFolder {
    /// Without links.
    pub folder: PathBuf,
    /// The type of the file system that it lies in, as `ext4`.
    pub file_system: String,
}

impl Scratch {
    /// Reads the setting; `None` where it says memory.
    pub fn read(settings: &Settings) -> Result<Option<Scratch>, SettingError> {
        let key = SETTING.key;
        let unlike = |text: &str| {
            SettingError(format!(
                "{key}={text}: memory, disk, the path of a folder, or SIZE:FOLDER"
            ))
        };
        match settings.get(key) {
            None | Some("memory") => Ok(None),
            Some("disk") => Ok(Some(Scratch { folder: usual(), mib: USUAL_MIB })),
            Some(path) if path.starts_with('/') => {
                Ok(Some(Scratch { folder: path.into(), mib: USUAL_MIB }))
            }
            Some(text) => match disk::scratch(key, text)? {
                (mib, Some(folder)) => Ok(Some(Scratch { folder, mib })),
                (_, None) => Err(unlike(text)),
            },
        }
    }

    /// Whether files can be written there.
    pub fn check(&self) -> Result<(), Unavailable> {
        place(&self.folder).map(drop)
    }

    /// The same for a guest, whose disk has to be made.
    pub fn check_image(&self) -> Result<(), Unavailable> {
        programs::find("mke2fs")?;
        self.check()
    }

    /// A folder of the boot's own there, which the keeper makes and removes.
    pub fn stage(&self, boot: &BootSpec, program: &mut Program) -> PathBuf {
        let folder = self.folder.join(format!("{}-written", boot.id));
        program.folders.push(folder.clone());
        folder
    }

    /// A disk for a guest there, which the keeper makes and removes. Its requests go through this host's page cache, as files of
    /// processes do, and what the guest flushes is flushed to the host's disk.
    pub fn attach(&self, boot: &BootSpec, program: &mut Program) -> Attached {
        let like =
            Image { bytes: self.mib << 20, file_system: true, sparse: true, ..Image::default() };
        let path = disk::make(&self.folder, "written", like, boot, program);
        Attached { path, direct: false }
    }
}

/// The folder that stands for a disk when none is named.
fn usual() -> PathBuf {
    disk::parent(&env::temp_dir().join("boot"))
}

/// The folder for what programs write on a disk of this host: the `named` one, or that for temporary files.
///
/// # Errors
/// It is not there, may not be written to, is in memory or full.
pub fn disk_folder(named: Option<&Path>) -> Result<DiskFolder, Unavailable> {
    place(&named.map_or_else(usual, Path::to_owned))
}

fn place(folder: &Path) -> Result<DiskFolder, Unavailable> {
    const REMEDY: &str = "name a folder on a disk, to which you may write: --scratch disk=DIR";
    let name = folder.display();
    let no = |why: String| Unavailable::new(why, REMEDY);
    let real = folder.canonicalize().map_err(|e| no(format!("{name}: {e}")))?;
    if !real.is_dir() {
        return Err(no(format!("{name} is not a folder")));
    }
    if real.to_str().is_none_or(|text| text.contains([':', ','])) {
        return Err(no(format!(
            "{name} has a colon or a comma in its name, or it is no text, which no setting can hold"
        )));
    }
    let table = fs::read_to_string("/proc/self/mountinfo");
    let table = table.map_err(|e| no(format!("/proc/self/mountinfo: {e}")))?;
    let file_system = file_system(&real, &table);
    if IN_MEMORY.contains(&file_system.as_str()) {
        return Err(no(format!("{name} is in memory ({file_system})")));
    }
    access(&real, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|e| no(format!("{name}: {e}")))?;
    let about = statvfs(&real).map_err(|e| no(format!("{name}: {e}")))?;
    let free = (about.blocks_available() as u64).saturating_mul(about.fragment_size() as u64) >> 20;
    if free < LEAST_MIB {
        return Err(no(format!("the disk of {name} is full: {free} MiB are left")));
    }
    Ok(DiskFolder { folder: real, file_system })
}

/// The type of the file system in which `path` lies, by the lines of `mountinfo`; the last one at the longest place shows.
fn file_system(path: &Path, mountinfo: &str) -> String {
    let mounted = mountinfo.lines().filter_map(|line| {
        let place = PathBuf::from(unescaped(line.split(' ').nth(4)?));
        let kind = line.split_once(" - ")?.1.split(' ').next()?;
        path.starts_with(&place).then(|| (place.components().count(), kind.to_owned()))
    });
    mounted.max_by_key(|(depth, _)| *depth).map(|(_, kind)| kind).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_memory_a_disk_or_a_folder_with_a_size() {
        let read =
            |text: &str| Scratch::read(&Settings::parse(&format!("x,scratch={text}")).unwrap());
        assert_eq!(read("memory").unwrap(), None);
        let usual = Scratch { folder: usual(), mib: USUAL_MIB };
        assert_eq!(read("disk").unwrap(), Some(usual));
        assert_eq!(read("2G:/d").unwrap(), Some(Scratch { folder: "/d".into(), mib: 2048 }));
        assert_eq!(read("/d").unwrap().unwrap().mib, USUAL_MIB);
        for wrong in ["somewhere", "2G"] {
            assert!(read(wrong).unwrap_err().to_string().contains("scratch="), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_folder_on_a_disk_is_refused() {
        let refused = |path: &str| disk_folder(Some(Path::new(path))).unwrap_err();
        assert!(refused("/no/such").why.contains("/no/such"));
        assert!(refused("/proc/self/stat").why.contains("not a folder"));
        assert!(refused("/proc").remedy.contains("--scratch disk=DIR"));
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("a:b");
        fs::create_dir(&odd).unwrap();
        assert!(refused(odd.to_str().unwrap()).why.contains("colon"));
    }

    #[test]
    fn the_last_and_deepest_mount_says_what_the_file_system_is() {
        let table = "22 1 8:1 / / rw - ext4 /dev/a rw\n\
                     23 22 0:5 / /tmp rw shared:1 - xfs /dev/b rw\n\
                     24 23 0:6 / /tmp rw - tmpfs tmpfs rw\n\
                     25 22 0:7 / /a\\040b rw - btrfs /dev/c rw\n";
        let of = |path: &str| file_system(Path::new(path), table);
        assert_eq!([of("/tmp/x"), of("/tmpx"), of("/a b/c")], ["tmpfs", "ext4", "btrfs"]);
    }
}
