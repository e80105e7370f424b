//! An initramfs that holds the probe and what a layer adds, written for each boot: it takes a
//! millisecond, and a cached one could be stale or half-written.

use crate::{BootSpec, Host};
use cpio::newc::Builder;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tare_proto::{SCRIPT, ToProbe, encode};

/// Where the probe mounts file systems.
const FOLDERS: &[&str] = &["dev", "proc", "sys", "tmp", "root"];

/// Writes an initramfs with the probe into the boot's folder, with `modules` for the probe to load in their order;
/// where it is.
pub(crate) fn write(host: &Host, boot: &BootSpec, modules: &[PathBuf]) -> io::Result<PathBuf> {
    let mut archive = Initramfs::new(host, &boot.folder.join("initramfs"))?;
    archive.modules(modules)?;
    archive.finish()
}

/// The same with the boot's script, which the probe follows instead of its line.
pub(crate) fn write_scripted(host: &Host, boot: &BootSpec) -> io::Result<PathBuf> {
    let mut archive = Initramfs::new(host, &boot.folder.join("initramfs"))?;
    archive.file(SCRIPT.trim_start_matches('/'), script(boot).as_bytes())?;
    archive.finish()
}

/// What the host would say on the line.
pub(crate) fn script(boot: &BootSpec) -> String {
    let asked = boot.script.iter().map(|request| encode(&ToProbe::Run(request.clone())));
    asked.chain([encode(&ToProbe::Quit)]).collect()
}

/// An initramfs under construction: the probe is its `/init`.
pub(crate) struct Initramfs {
    archive: BufWriter<File>,
    path: PathBuf,
}

impl Initramfs {
    pub(crate) fn new(host: &Host, path: &Path) -> io::Result<Initramfs> {
        let archive = BufWriter::new(File::create(path)?);
        let mut initramfs = Initramfs { archive, path: path.to_owned() };
        for folder in FOLDERS {
            initramfs.folder(folder)?;
        }
        // The kernel opens the console before anything is mounted.
        let console = Builder::new("dev/console").mode(0o020_600).rdev_major(5).rdev_minor(1);
        initramfs.entry(console, &[])?;
        initramfs.file("init", &fs::read(&host.probe)?)?;
        Ok(initramfs)
    }

    /// Adds a folder; those above it must be there.
    pub(crate) fn folder(&mut self, name: &str) -> io::Result<()> {
        self.entry(Builder::new(name).mode(0o040_755), &[])
    }

    /// Adds an executable file; the folders above it must be there.
    pub(crate) fn file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.entry(Builder::new(name).mode(0o100_755), content)
    }

    /// Adds kernel modules for the probe to load in their order.
    pub(crate) fn modules(&mut self, modules: &[PathBuf]) -> io::Result<()> {
        if !modules.is_empty() {
            self.folder("modules")?;
        }
        for (number, module) in modules.iter().enumerate() {
            self.file(&format!("modules/{number:02}"), &fs::read(module)?)?;
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
