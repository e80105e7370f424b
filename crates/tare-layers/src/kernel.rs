//! Finds a kernel for a virtual machine: the one that is set, a readable one of this host, one in
//! tare's cache, or one taken out of the distribution's package without installing it.

use crate::programs::{self, output, wait};
use crate::{Host, Unavailable};
use nix::unistd::{AccessFlags, access};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, io};

/// Packages that depend on the newest kernel: for virtual machines first, as they are smaller.
const PACKAGES: &[&str] =
    &["linux-image-cloud-amd64", "linux-image-amd64", "linux-image-virtual", "linux-image-generic"];

/// Longest time for a download of some 30 to 100 MB.
const DOWNLOAD: Duration = Duration::from_secs(180);

/// The kernel to boot: `set` if given, else found.
pub(crate) fn find(set: Option<&str>, host: &Host) -> Result<PathBuf, Unavailable> {
    if let Some(path) = set {
        return given(Path::new(path));
    }
    let cached = host.cache.join("kernels");
    let running = nix::sys::utsname::uname().ok();
    let running = running.map(|name| name.release().to_string_lossy().into_owned());
    let found = best(Path::new("/boot"), running.as_deref()).or_else(|| best(&cached, None));
    found.map_or_else(|| fetch(&cached), Ok)
}

fn given(path: &Path) -> Result<PathBuf, Unavailable> {
    match fs::File::open(path) {
        Ok(_) => Ok(path.to_owned()),
        Err(e) => Err(Unavailable::new(
            format!("the kernel {} cannot be read: {e}", path.display()),
            "set kernel= to a readable Linux kernel image, or leave it out",
        )),
    }
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

/// Compares releases as people do: runs of digits as numbers.
fn by_version(a: &str, b: &str) -> Ordering {
    parts(a).cmp(&parts(b)).then_with(|| a.cmp(b))
}

fn parts(release: &str) -> Vec<u64> {
    let runs = release.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| !run.is_empty()).map(|run| run.parse().unwrap_or(u64::MAX)).collect()
}

/// Takes a kernel out of its package into `folder`. Runs of tare that do so at once do not disturb
/// each other: each works in a folder of its own and renames what it has whole.
fn fetch(folder: &Path) -> Result<PathBuf, Unavailable> {
    for tool in ["apt-cache", "apt-get", "dpkg-deb", "tar"] {
        let remedy = "install a kernel whose file in /boot can be read, or set kernel= to one";
        programs::find(tool)
            .map_err(|_| Unavailable::new("no readable kernel in /boot, and no apt", remedy))?;
    }
    let package = package()?;
    let kernel = unpack(&package, folder);
    kernel.map_err(|why| {
        Unavailable::new(
            format!("no readable kernel in /boot, and the package {package} cannot be had: {why}"),
            "as root: apt-get update; or set kernel= to a readable Linux kernel image",
        )
    })
}

/// The package that holds the newest kernel.
fn package() -> Result<String, Unavailable> {
    let found = PACKAGES.iter().find_map(|general| {
        let mut ask = Command::new("apt-cache");
        let text = output(ask.args(["depends", "--important", general]), Duration::from_secs(30));
        kernel_package(&text.ok()?)
    });
    found.ok_or_else(|| {
        Unavailable::new(
            "no readable kernel in /boot, and apt knows no kernel package",
            "as root: apt-get update; or set kernel= to a readable Linux kernel image",
        )
    })
}

/// The first `linux-image-...` that the output of `apt-cache depends` names as a dependency.
fn kernel_package(depends: &str) -> Option<String> {
    let packages = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    packages.map(str::to_owned).find(|package| package.starts_with("linux-image-"))
}

fn unpack(package: &str, folder: &Path) -> Result<PathBuf, String> {
    let text = |e: io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder).map_err(text)?;
    let work = tempfile::Builder::new().prefix(".fetch-").tempdir_in(folder).map_err(text)?;
    let mut get = Command::new("apt-get");
    output(get.args(["download", package]).current_dir(work.path()), DOWNLOAD)?;
    let files = fs::read_dir(work.path()).map_err(text)?.flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| path.extension().is_some_and(|end| end == "deb"));
    let archive = files.next().ok_or("apt-get download left no package")?;
    extract(&archive, work.path()).map_err(text)?;
    let kernel = best(&work.path().join("boot"), None).ok_or("it holds no boot/vmlinuz-*")?;
    let kept = folder.join(kernel.file_name().unwrap_or_default());
    fs::rename(&kernel, &kept).map_err(text)?;
    Ok(kept)
}

/// Only the kernel leaves the package; its modules are ten times as large.
fn extract(archive: &Path, into: &Path) -> io::Result<()> {
    let mut open = Command::new("dpkg-deb");
    let mut opened = open.arg("--fsys-tarfile").arg(archive).stdout(Stdio::piped()).spawn()?;
    let stream = opened.stdout.take().map_or(Stdio::null(), Stdio::from);
    let mut tar = Command::new("tar");
    tar.args(["-x", "--wildcards", "./boot/vmlinuz-*"]).current_dir(into).stdin(stream);
    let mut tar = tar.stderr(Stdio::null()).spawn()?;
    let done = wait(&mut tar, DOWNLOAD) == Some(true);
    let whole = wait(&mut opened, Duration::from_secs(5)) == Some(true);
    if done && whole { Ok(()) } else { Err(io::Error::other("its package is damaged")) }
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
        let host = Host { probe: "/probe".into(), cache: "/cache".into() };
        let refused = find(Some("/nowhere/vmlinuz"), &host).unwrap_err();
        assert!(refused.why.contains("/nowhere/vmlinuz"), "{refused}");
    }

    #[test]
    fn the_package_is_read_from_the_dependencies() {
        let text = "linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-56-cloud-amd64\n";
        assert_eq!(kernel_package(text).unwrap(), "linux-image-6.1.0-56-cloud-amd64");
        let text = "linux-image-virtual\n  Depends: linux-base\n |Depends: linux-image-x\n  Depends: linux-image-6.8.0-31-generic\n";
        assert_eq!(kernel_package(text).unwrap(), "linux-image-6.8.0-31-generic");
        assert_eq!(kernel_package(""), None);
    }
}
