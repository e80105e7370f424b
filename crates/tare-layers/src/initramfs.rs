//! An initramfs that holds the probe and nothing else, written for each boot: it takes a
//! millisecond, and a cached one could be stale or half-written.

use crate::{BootSpec, Host};
use cpio::newc::Builder;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Where the probe mounts file systems.
const FOLDERS: &[&str] = &["dev", "proc", "sys", "tmp", "root"];

/// Writes the initramfs into the boot's folder; where it is.
pub(crate) fn write(host: &Host, boot: &BootSpec) -> io::Result<PathBuf> {
    let path = boot.folder.join("initramfs");
    let mut archive = BufWriter::new(File::create(&path)?);
    for folder in FOLDERS {
        entry(&mut archive, Builder::new(folder).mode(0o040_755), &[])?;
    }
    // The kernel opens the console before anything is mounted.
    let console = Builder::new("dev/console").mode(0o020_600).rdev_major(5).rdev_minor(1);
    entry(&mut archive, console, &[])?;
    entry(&mut archive, Builder::new("init").mode(0o100_755), &fs::read(&host.probe)?)?;
    cpio::newc::trailer(&mut archive)?;
    archive.flush()?;
    Ok(path)
}

fn entry(archive: &mut impl Write, entry: Builder, content: &[u8]) -> io::Result<()> {
    let mut writer = entry.nlink(1).write(archive, content.len() as u32);
    writer.write_all(content)?;
    writer.finish().map(drop)
}
