//! The disk that a layer is given for itself: a scratch image that the keeper makes and removes, or,
//! when the owner has agreed to lose what is on it, a device or a file.
//!
//! Every layer of a campaign gets one of the same size in the same folder, so that the same medium lies
//! below all of them.

pub(crate) mod backend;
pub(crate) mod drive;
pub(crate) mod files;
pub(crate) mod used;

use crate::{BootSpec, Host, Program, Setting, SettingError, Settings, Unavailable};
use nix::sys::statfs::{self, FsType, statfs};
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tare_keeper::Image;

/// The setting of every kind that can give a disk.
pub(crate) const SETTING: Setting = Setting {
    key: "disk",
    about: "a disk of its own: none (default), a size (512M) for a scratch image, SIZE:FOLDER to have \
            that there, or a device or file, whose contents are lost",
};

/// The disk that a layer gets when a benchmark needs one and nothing is set.
pub(crate) const USUAL: &str = "128M";

/// What `/var/tmp` is for: files that are too large for memory.
const ON_DISK: &str = "/var/tmp";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Disk {
    /// An image of so many MiB, in that folder or where there is room.
    Scratch(u64, Option<PathBuf>),
    /// A device or a file that is there.
    Given(PathBuf),
}

/// A disk as a layer starts with it.
pub(crate) struct Attached {
    pub path: PathBuf,
    /// Whether the host can get past its page cache there.
    pub direct: bool,
}

impl Disk {
    /// Reads the setting; `None` when there is no disk to give.
    pub fn read(settings: &Settings) -> Result<Option<Disk>, SettingError> {
        let Some(text) = settings.get(SETTING.key).filter(|text| *text != "none") else {
            return Ok(None);
        };
        if text.starts_with('/') {
            return Ok(Some(Disk::Given(text.into())));
        }
        let (size, folder) = scratch(SETTING.key, text)?;
        Ok(Some(Disk::Scratch(size, folder)))
    }

    /// Whether the disk may be used: it is a folder's, or it is nobody's and was given up explicitly.
    pub fn check(&self, host: &Host) -> Result<(), Unavailable> {
        match self {
            Disk::Scratch(_, folder) => check_folder(SETTING.key, folder.as_deref()),
            Disk::Given(path) => used::given(path, host.destroy_disks),
        }
    }

    /// Adds what the layer needs to `program`; where the disk will be.
    pub fn attach(
        &self,
        host: &Host,
        boot: &BootSpec,
        program: &mut Program,
    ) -> io::Result<Attached> {
        self.check(host)?;
        let (size, folder) = match self {
            Disk::Given(path) => return Ok(Attached { path: path.clone(), direct: true }),
            Disk::Scratch(size, folder) => (size, folder),
        };
        image(*size, folder.as_deref(), false, boot, program)
    }
}

/// Adds an image of `size` MiB in `folder`, or where there is room, to what the keeper makes.
pub(crate) fn image(
    size: u64,
    folder: Option<&Path>,
    file_system: bool,
    boot: &BootSpec,
    program: &mut Program,
) -> io::Result<Attached> {
    let parent = match folder {
        Some(folder) => folder.canonicalize()?,
        None => parent(boot.folder),
    };
    let kind = if file_system { "files" } else { "disk" };
    let like = Image { bytes: size << 20, file_system, ..Image::default() };
    Ok(Attached { path: make(&parent, kind, like, boot, program), direct: direct(&parent) })
}

/// Adds an image like this one to what the keeper makes, in a folder of the boot's in `parent` that is called `kind`; where it will be.
pub(crate) fn make(
    parent: &Path,
    kind: &str,
    like: Image,
    boot: &BootSpec,
    program: &mut Program,
) -> PathBuf {
    let folder = parent.join(format!("{}-{kind}", boot.id));
    let path = folder.join("image");
    program.folders.push(folder);
    program.images.push(Image { path: path.clone(), ..like });
    path
}

/// What `SIZE` or `SIZE:FOLDER` says as the value of `key`: MiB, and where.
pub(crate) fn scratch(key: &str, text: &str) -> Result<(u64, Option<PathBuf>), SettingError> {
    let (size, folder) = text.split_once(':').map_or((text, None), |(a, b)| (a, Some(b.into())));
    let mut sizes = Settings::default();
    sizes.set(key, size)?;
    Ok((sizes.mebibytes(key, 0)?, folder))
}

/// Whether images can lie in `folder`, if one was named for `key`.
pub(crate) fn check_folder(key: &str, folder: Option<&Path>) -> Result<(), Unavailable> {
    match folder.filter(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Unavailable::new(
            format!("{} is not a folder, so no disk image can be made there", folder.display()),
            format!("create it, or leave it out of {key}="),
        )),
    }
}

/// The folder for images: next to the boot's own, unless that is in memory.
pub(crate) fn parent(boot: &Path) -> PathBuf {
    let own = boot.parent().unwrap_or(boot);
    let in_memory = |path: &Path| {
        const RAMFS: FsType = FsType(0x8584_58f6);
        statfs(path).is_ok_and(|it| [statfs::TMPFS_MAGIC, RAMFS].contains(&it.filesystem_type()))
    };
    let usual = Path::new(ON_DISK);
    if in_memory(own) && usual.is_dir() { usual.to_owned() } else { own.to_owned() }
}

/// Whether files in `folder` can be had past the page cache; a file without a name tries.
fn direct(folder: &Path) -> bool {
    let flags = libc::O_TMPFILE | libc::O_DIRECT;
    let opened = OpenOptions::new().read(true).write(true).custom_flags(flags).open(folder);
    !opened.is_err_and(|e| e.raw_os_error() == Some(libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::FileTypeExt;

    fn read(text: &str) -> Result<Option<Disk>, SettingError> {
        Disk::read(&Settings::parse(&format!("x,disk={text}")).unwrap())
    }

    fn host(destroy_disks: bool) -> Host {
        Host { destroy_disks, ..Host::new("/probe".into(), "/cache".into()) }
    }

    #[test]
    fn the_setting_is_a_size_a_place_or_what_is_lost() {
        assert_eq!(read("none").unwrap(), None);
        assert_eq!(read("1G").unwrap(), Some(Disk::Scratch(1024, None)));
        assert_eq!(read("64M:/data").unwrap(), Some(Disk::Scratch(64, Some("/data".into()))));
        assert_eq!(read("/dev/sdx").unwrap(), Some(Disk::Given("/dev/sdx".into())));
        assert!(read("big").unwrap_err().to_string().contains("disk=big"));
    }

    #[test]
    fn what_is_there_is_not_touched_unless_that_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precious");
        fs::write(&path, "data").unwrap();
        let disk = Disk::Given(path.clone());
        let refused = disk.check(&host(false)).unwrap_err();
        assert!(refused.remedy.contains("--destroy-disk-contents"), "{refused}");
        assert!(refused.why.contains("precious"), "{refused}");
        disk.check(&host(true)).unwrap();
        let boot = BootSpec {
            folder: folder.path(),
            id: "tare-x",
            number: 0,
            counts: None,
            script: &[],
            cpus: &[],
            perturbation: 0,
            saved: &crate::Saved::Never,
        };
        assert!(disk.attach(&host(false), &boot, &mut Program::default()).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"data");
    }

    #[test]
    fn what_is_no_disk_is_refused() {
        let refused = |disk: &Disk| disk.check(&host(true)).unwrap_err().why;
        assert!(refused(&Disk::Given("/dev/null".into())).contains("neither a device nor a file"));
        assert!(refused(&Disk::Given("/no/such".into())).contains("/no/such"));
        assert!(refused(&Disk::Scratch(64, Some("/no/such".into()))).contains("not a folder"));
    }

    #[test]
    fn a_mounted_device_is_refused() {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let mounted = mounts.lines().filter_map(|line| line.split(' ').next());
        let mut devices = mounted.filter(|path| {
            let opens = OpenOptions::new().read(true).write(true).open(path).is_ok();
            opens && fs::metadata(path).is_ok_and(|it| it.file_type().is_block_device())
        });
        let Some(device) = devices.next() else { return }; // an ordinary user, or no device at all
        let refused = Disk::Given(device.into()).check(&host(true)).unwrap_err();
        assert!(refused.why.contains("in use"), "{refused}");
    }

    #[test]
    fn an_image_is_filled_or_holds_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        Image { path: path.clone(), bytes: 2 << 20, file_system: false, sparse: false }
            .make(&|| Ok(()))
            .unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 2 << 20);
        assert!(bytes.chunks(4096).all(|page| page.iter().any(|byte| *byte != 0)));
        let full =
            Image { path: "/dev/full".into(), bytes: 1 << 20, file_system: false, sparse: false };
        assert!(
            full.fill(&|| Ok(())).is_err() && full.make(&|| Ok(())).is_err(),
            "not even the reason can be written"
        );
    }
}
