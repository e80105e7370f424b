//! What the programs of a layer see as their root: this host's files, or a folder's, under an overlay that goes with the boot.

use crate::attach::scratch::Scratch;
use crate::rootfs;
use crate::{BootSpec, Program, Setting, SettingError, Settings, Unavailable};
use nix::sys::sysinfo::sysinfo;
use nix::unistd::geteuid;
use std::io;
use std::path::{Path, PathBuf};
use tare_keeper::user_namespaces;
use tare_proto::ROOT_OVERLAY;

/// The setting of the kinds whose programs see a folder.
pub(crate) const SETTING: Setting = Setting {
    key: "root",
    about: "what programs see: none (default), host (this host's files; what is written vanishes with the boot), or a folder",
};

/// The setting of the same kinds that says how much is written over that.
pub(crate) const OVERLAY: Setting = Setting {
    key: "overlay",
    about: "how much programs may write over their root, in this host's memory (default: a tenth of it)",
};

/// The setting of a guest that can see the host's folders.
pub(crate) const EITHER: Setting = Setting {
    key: "root",
    about: "what programs see: none (default), host, a folder, or an image (EROFS)",
};

/// The setting of a guest that sees none of the host's files.
pub(crate) const IMAGE: Setting =
    Setting { key: "root", about: "what programs see: none (default), or an image (EROFS)" };

/// The value of `setting` when a benchmark needs a root and nothing is set.
pub(crate) fn usual(setting: &Setting) -> Option<&'static str> {
    [SETTING, EITHER].iter().any(|with| with.about == setting.about).then_some(HOST)
}

/// Whether `setting` would rather have an image than a folder.
pub(crate) fn takes_image(setting: &Setting) -> bool {
    [EITHER, IMAGE].iter().any(|with| with.about == setting.about)
}

/// The value that stands for this host's files.
const HOST: &str = "host";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    /// What lies below the overlay: a folder, or the file of an image.
    pub lower: PathBuf,
    /// How much the overlay may hold, in MiB; 0 when nothing is set.
    overlay: u64,
    /// The disk on which it lies; in memory without one.
    pub scratch: Option<Scratch>,
}

impl Root {
    /// Reads the setting; `None` when there is no root to have.
    pub fn read(settings: &Settings) -> Result<Option<Root>, SettingError> {
        let overlay = settings.mebibytes(OVERLAY.key, 0)?;
        let over = |lower: &str| {
            let scratch = Scratch::read(settings)?;
            Ok(Some(Root { lower: lower.into(), overlay, scratch }))
        };
        match settings.get(SETTING.key) {
            None | Some("none") => Ok(None),
            Some(HOST) => over("/"),
            Some(path) if path.starts_with('/') => over(path),
            Some(other) => {
                let key = SETTING.key;
                Err(SettingError(format!(
                    "{key}={other}: none, host, or the path of a folder or image"
                )))
            }
        }
    }

    pub fn is_image(&self) -> bool {
        self.lower.is_file()
    }

    pub fn check_folder(&self) -> Result<(), Unavailable> {
        if self.lower.is_dir() {
            return Ok(());
        }
        let why = format!("{} is not a folder, so it is no root", self.lower.display());
        Err(Unavailable::new(why, "give another one in root="))
    }

    /// Whether a process of an ordinary user sees this host's files as they are: no overlay over them is to be had, and what
    /// a program of that user's writes is the user's own affair.
    pub fn is_as_it_is(&self) -> bool {
        self.lower == Path::new("/") && !geteuid().is_root()
    }

    /// Whether a folder can be had here, for which mounts have to be made.
    pub fn check(&self) -> Result<(), Unavailable> {
        self.check_folder()?;
        self.scratch.as_ref().map_or(Ok(()), Scratch::check)?;
        if geteuid().is_root() {
            return Ok(());
        }
        if self.lower == Path::new("/") {
            let why = "an ordinary user's namespaces cannot have an overlay over this host's files";
            return Err(Unavailable::new(
                why,
                "run tare as root, or give the command a root of its own (--root DIR), which native, uml, qemu and kvm can have",
            ));
        }
        user_namespaces()
    }

    pub fn check_image(&self) -> Result<(), Unavailable> {
        if self.is_image() {
            return Ok(());
        }
        let why =
            format!("{} is not an image, and this guest sees no folders", self.lower.display());
        Err(Unavailable::new(why, "give the command a root of its own: --root"))
    }

    /// Adds what it is made of to the record of the layer.
    pub fn record(&self, program: &mut Program) {
        let made_of = self.lower.parent().map(|folder| folder.join(rootfs::MADE_OF));
        if let Some(made_of) = made_of.filter(|path| path.is_file()) {
            program.record("root", made_of, None);
        }
    }

    /// The value of [`tare_proto::ROOT`] that tells the probe to make the overlay itself.
    pub fn told(&self, boot: &BootSpec, program: &mut Program) -> io::Result<String> {
        let (stage, mib) = (self.stage(boot, program)?, self.mib()?);
        Ok(format!("{ROOT_OVERLAY}{mib}:{}:{}", stage.display(), self.lower.display()))
    }

    /// How much programs may write to memory, in MiB: as it is set, or a tenth of this host's memory, since several boots are alive at
    /// once. None of it where they write to a disk.
    pub fn mib(&self) -> io::Result<u64> {
        match self.overlay {
            _ if self.scratch.is_some() => Ok(0),
            0 => Ok((sysinfo()?.ram_total() / 10) >> 20),
            set => Ok(set),
        }
    }

    /// An empty folder for the overlay's memory, or for what is written to a disk, which the keeper then makes for `program`. A restored
    /// layer finds its own at the place where the saved one had it.
    pub fn stage(&self, boot: &BootSpec, program: &mut Program) -> io::Result<PathBuf> {
        if let Some(scratch) = &self.scratch {
            return Ok(scratch.stage(boot, program));
        }
        let stage = boot.shared_folder().join("stage");
        std::fs::create_dir_all(&stage)?;
        Ok(stage)
    }

    /// The words before a command that then finds the root, with room for so many `mib`, at `STAGE/root`; nobody else sees it. Without
    /// room in memory (0), what is written stays in the stage, and an overlay that is made there later shows it.
    pub fn before(&self, probe: &Path, mib: u64, stage: &Path) -> Vec<String> {
        let mib = mib.to_string();
        let words = [probe, Path::new("stage"), Path::new(&mib), stage, &self.lower];
        words.map(|word| word.display().to_string()).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_a_folder_or_the_host() {
        let read = |text: &str| Root::read(&Settings::parse(&format!("x,root={text}")).unwrap());
        assert_eq!(read("none").unwrap(), None);
        assert_eq!(
            read("host").unwrap(),
            Some(Root { lower: "/".into(), overlay: 0, scratch: None })
        );
        assert!(read("host").unwrap().unwrap().mib().unwrap() > 0, "a part of this host's memory");
        assert_eq!(read("host,overlay=2G").unwrap().unwrap().mib().unwrap(), 2048);
        assert!(read("somewhere").unwrap_err().to_string().contains("host"));
        let on_disk = read("host,scratch=/no/such").unwrap().unwrap();
        assert_eq!(on_disk.mib().unwrap(), 0, "none of this host's memory");
        assert!(on_disk.check().unwrap_err().remedy.contains("--scratch"));
        let lost = read("/no/such").unwrap().unwrap();
        assert!(lost.check().unwrap_err().why.contains("/no/such"));
        assert!(lost.check_image().unwrap_err().remedy.contains("--root"));
        let usual =
            [SETTING, EITHER, IMAGE].map(|setting| (usual(&setting), takes_image(&setting)));
        assert_eq!(usual, [(Some("host"), false), (Some("host"), true), (None, true)]);
    }
}
