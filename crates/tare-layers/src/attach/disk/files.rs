//! Where a layer keeps files on a disk: in a folder of this host or, for a guest, which cannot see the host's file systems,
//! on a disk with a file system of its own.

use crate::attach::disk::{self, Attached};
use crate::{BootSpec, Program, Setting, SettingError, Settings, Unavailable};
use std::io;
use std::path::PathBuf;

/// The setting of every kind that is a guest.
pub(crate) const SETTING: Setting = Setting {
    key: "files",
    about: "a disk with an ext4 file system, for files: none (default), a size (128M), or SIZE:FOLDER to have it there",
};

/// Its value when a benchmark needs files on a disk and nothing is set: room for thirty users of the mix.
pub(crate) const USUAL: &str = "128M";

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tare_keeper::Image;
    use tare_keeper::make_file_system;

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
        Image { path: path.clone(), bytes: 8 << 20, file_system: true, sparse: false }
            .make(&|| Ok(()))
            .unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 8 << 20);
        assert_eq!(bytes[1024 + 56..1024 + 58], [0x53, 0xef], "the magic number of ext4");
        let none = make_file_system(&folder.path().join("absent")).unwrap_err();
        assert!(none.to_string().contains("mke2fs"), "{none}");
    }
}
