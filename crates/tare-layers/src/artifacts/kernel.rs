//! Finds a kernel for a virtual machine: the one that is set, a readable one of this host, one in
//! tare's cache, or one taken out of the distribution's package without installing it.

use crate::artifacts::package::{self, Apt, PackageError, by_version};
use crate::files::work::Work;
use crate::{Host, Unavailable, artifacts::modules};
use nix::unistd::{AccessFlags, access};
use std::path::{Path, PathBuf};
use std::{fs, io};
use tare_keeper::cache;

/// Packages that depend on the newest kernel: for virtual machines first, as they are smaller.
const PACKAGES: &[&str] =
    &["linux-image-cloud-amd64", "linux-image-amd64", "linux-image-virtual", "linux-image-generic"];

/// The kernel to boot: `set` if given, else found.
pub(crate) fn find(set: Option<&str>, host: &Host) -> Result<PathBuf, Unavailable> {
    if let Some(path) = set {
        return given(Path::new(path), BUILT);
    }
    let cached = host.cache.join("kernels");
    let running = nix::sys::utsname::uname().ok();
    let running = running.map(|name| name.release().to_string_lossy().into_owned());
    let found = best(Path::new("/boot"), running.as_deref()).or_else(|| best(&cached, None));
    found.map_or_else(|| fetch(&cached), Ok)
}

/// Where a tree has the kernel that was built in it.
pub(crate) const BUILT: &str = "arch/x86/boot/bzImage";

/// The kernel that is named: a file, or what was `built` in a tree. The path is absolute, since layers start in folders of their own.
pub(crate) fn given(path: &Path, built: &str) -> Result<PathBuf, Unavailable> {
    let built = path.is_dir().then(|| path.join(built));
    let path = built.as_deref().unwrap_or(path);
    let file = fs::File::open(path).and_then(|file| file.metadata());
    let found = file.and_then(|found| match found.is_file() {
        true => std::path::absolute(path),
        false => Err(io::Error::other("it is not a regular file")), // /dev/zero has no end
    });
    found.map_err(|e| {
        Unavailable::new(
            format!("the kernel {} cannot be read: {e}", path.display()),
            "set kernel= to a readable Linux kernel image, or leave it out",
        )
    })
}

/// What a guest's kernel is told of its console and of the line to the probe, then `more` (each word after a space) and the `set` words.
pub(crate) fn arguments(more: &str, set: &[String]) -> String {
    let set: String = set.iter().map(|word| format!(" {word}")).collect();
    format!("console=ttyS0 quiet panic=-1 tare.line=/dev/ttyS1{more}{set}")
}

/// The kernel to boot, with its modules if they can be had: a guest without them lacks devices, which its
/// benchmarks say.
pub(crate) fn find_with_modules(set: Option<&str>, host: &Host) -> Result<PathBuf, Unavailable> {
    let kernel = find(set, host)?;
    let cached = host.cache.join("kernels");
    if let (true, Some(release)) = (kernel.starts_with(&cached), modules::release(&kernel))
        && !modules::folder(host, release).is_dir()
    {
        let _ = unpack(&format!("linux-image-{release}"), &cached);
    }
    Ok(kernel)
}

/// The kernel of `folder` that suits best: that of the `running` release, else the newest.
fn best(folder: &Path, running: Option<&str>) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let releases = names.filter_map(|name| Some(name.strip_prefix("vmlinuz-")?.to_owned()));
    let path = |release: &str| folder.join(format!("vmlinuz-{release}"));
    let readable = releases.filter(|release| access(&path(release), AccessFlags::R_OK).is_ok());
    let is_running = |release: &str| Some(release) == running;
    let order =
        |a: &String, b: &String| is_running(a).cmp(&is_running(b)).then_with(|| by_version(a, b));
    readable.max_by(order).map(|release| path(&release))
}

/// Takes a kernel out of its package into `folder`. Runs of tare that do so at once do not disturb
/// each other: each works in a folder of its own and renames what it has whole.
fn fetch(folder: &Path) -> Result<PathBuf, Unavailable> {
    package::can_extract().map_err(|_| {
        let remedy = "install a kernel whose file in /boot can be read, or set kernel= to one";
        Unavailable::new("no readable kernel in /boot, and no apt", remedy)
    })?;
    let package = newest()?;
    let kernel = unpack(&package, folder);
    kernel.map_err(|why| {
        Unavailable::new(
            format!(
                "no readable kernel in /boot, and the package {package} is not available: {why}"
            ),
            "as root: apt-get update; or set kernel= to a readable Linux kernel image",
        )
    })
}

fn newest() -> Result<String, Unavailable> {
    let found = PACKAGES.iter().find_map(|general| package::behind(general, "linux-image-"));
    found.ok_or_else(|| {
        Unavailable::new(
            "no readable kernel in /boot, and apt knows no kernel package",
            "as root: apt-get update; or set kernel= to a readable Linux kernel image",
        )
    })
}

fn unpack(package: &str, folder: &Path) -> Result<PathBuf, PackageError> {
    let text = PackageError::folder(folder);
    cache::make(folder).map_err(text)?;
    let work = Work::new_in(folder).map_err(text)?;
    // Only the kernel and a few drivers leave the package; all its modules are ten times as large.
    let archive = package::extract(&Apt::default(), package, &["./boot/vmlinuz-*"], work.path())?;
    let names = [modules::VIRTIO, modules::BALLOON, modules::EXT4, modules::ROOT].concat();
    let patterns: Vec<String> = names.iter().map(|name| modules::pattern(name)).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let _ = package::untar(&archive, &patterns, work.path()); // tar complains of what is built in
    let kernel = best(&work.path().join("boot"), None);
    let kernel = kernel.ok_or(PackageError::Lacking("it holds no boot/vmlinuz-*"))?;
    let kept = folder.join(kernel.file_name().unwrap_or_default());
    if let Some(release) = modules::release(&kept) {
        let modules = folder.join(modules::folder_name(release));
        let _ = fs::rename(work.path().join("lib/modules").join(release), modules); // there already
    }
    fs::rename(&kernel, &kept).map_err(text)?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(releases: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for release in releases {
            fs::write(folder.path().join(format!("vmlinuz-{release}")), "").unwrap();
        }
        fs::write(folder.path().join("config-9.9"), "").unwrap();
        folder
    }

    fn chosen(releases: &[&str], running: &str) -> Option<String> {
        let folder = folder(releases);
        let path = best(folder.path(), Some(running))?;
        Some(path.file_name().unwrap().to_str().unwrap().to_owned())
    }

    #[test]
    fn the_running_release_comes_first() {
        let releases = ["5.10.0-1-amd64", "6.1.0-9-amd64", "6.1.0-56-amd64"];
        assert_eq!(chosen(&releases, "6.1.0-9-amd64").unwrap(), "vmlinuz-6.1.0-9-amd64");
    }

    #[test]
    fn else_the_newest_by_number() {
        let releases = ["6.1.0-9-amd64", "6.1.0-56-amd64", "6.1.0-10-amd64"];
        assert_eq!(chosen(&releases, "7.0").unwrap(), "vmlinuz-6.1.0-56-amd64");
    }

    #[test]
    fn a_folder_without_kernels_has_none() {
        assert_eq!(chosen(&[], "6.1"), None);
        assert_eq!(best(Path::new("/nowhere/at/all"), None), None);
    }

    #[test]
    fn a_kernel_that_cannot_be_read_says_which() {
        let host = Host::new("/probe".into(), "/cache".into());
        let refused = find(Some("/nowhere/vmlinuz"), &host).unwrap_err();
        assert!(refused.why.contains("/nowhere/vmlinuz"), "{refused}");
        let endless = find(Some("/dev/zero"), &host).unwrap_err();
        assert!(endless.why.contains("not a regular file"), "{endless}");
    }
}
