//! Where a layer has files on a disk: in a folder of this host's, or, for a guest that has nothing of its file systems, on
//! a disk with a file system of its own.

use crate::disk::{self, Attached};
use crate::{BootSpec, Program, Setting, SettingError, Settings, Unavailable, programs};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The setting of every kind that is a guest.
pub(crate) const SETTING: Setting = Setting {
    key: "files",
    about: "a disk with an ext4 file system, for files: none (default), a size (128M), or SIZE:FOLDER to have it there",
};

/// Its value when a benchmark needs files on a disk and nothing is set: room for thirty users of the mix.
pub(crate) const USUAL: &str = "128M";

/// Longest time that making a file system may take.
pub(crate) const MAKING: Duration = Duration::from_secs(30);

/// A folder on a disk of this host, as far as there is one; it is made and removed with the boot.
pub(crate) fn folder(boot: &BootSpec, program: &mut Program) -> PathBuf {
    let folder = disk::parent(boot.folder).join(format!("{}-files", boot.id));
    program.folders.push(folder.clone());
    folder
}

/// A guest's disk with a file system, as it was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Files {
    /// In MiB.
    size: u64,
    /// Where the image is to lie.
    folder: Option<PathBuf>,
}

impl Files {
    /// Reads the setting; `None` when there are no files to have.
    pub fn read(settings: &Settings) -> Result<Option<Files>, SettingError> {
        let set = settings.get(SETTING.key).filter(|text| *text != "none");
        let read = |text| disk::scratch(SETTING.key, text);
        Ok(set.map(read).transpose()?.map(|(size, folder)| Files { size, folder }))
    }

    /// Whether the image can lie where it is to.
    pub fn check(&self) -> Result<(), Unavailable> {
        disk::check_folder(SETTING.key, self.folder.as_deref())
    }

    /// Adds the disk to what is made for `program`; where it will be.
    pub fn attach(&self, boot: &BootSpec, program: &mut Program) -> io::Result<Attached> {
        disk::image(self.size, self.folder.as_deref(), true, boot, program)
    }
}

/// Makes an empty ext4 file system on `image`, all of it at once: a kernel would go on with that while it is measured.
pub(crate) fn make_file_system(image: &Path) -> Result<(), String> {
    let program = programs::find("mke2fs").map_err(|lacking| lacking.to_string())?;
    let mut command = programs::plain(program);
    let at_once = "lazy_itable_init=0,lazy_journal_init=0";
    command.args(["-q", "-F", "-t", "ext4", "-E", at_once]).arg(image);
    programs::output(&mut command, MAKING).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;
    use std::fs;

    #[test]
    fn the_setting_is_a_size_and_perhaps_a_place() {
        let read = |text: &str| Files::read(&Settings::parse(&format!("x,files={text}")).unwrap());
        assert_eq!(read("none").unwrap(), None);
        assert_eq!(read("1G").unwrap(), Some(Files { size: 1024, folder: None }));
        assert!(read("/dev/sda").is_err(), "no device is ever formatted");
        let lost = read("64M:/no/such").unwrap().unwrap();
        assert!(lost.check().unwrap_err().remedy.contains("files="));
    }

    #[test]
    fn an_image_has_a_file_system_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        Image { path: path.clone(), bytes: 8 << 20, file_system: true }.make(&|| Ok(())).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 8 << 20);
        assert_eq!(bytes[1024 + 56..1024 + 58], [0x53, 0xef], "the magic number of ext4");
        let none = make_file_system(&folder.path().join("absent")).unwrap_err();
        assert!(none.contains("mke2fs"), "{none}");
    }
}
