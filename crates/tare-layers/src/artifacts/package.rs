//! Files out of the distribution's packages, extracted into tare's cache and never installed.

use crate::files::work::Work;
use crate::{Host, Unavailable};
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{fs, io};
use tare_keeper::ProgramError;
use tare_keeper::cache;
use tare_keeper::programs::{self, output, plain, wait};

/// Longest time for a download of some 30 to 100 MB.
const DOWNLOAD: Duration = Duration::from_secs(180);

#[derive(Debug, thiserror::Error)]
pub(crate) enum PackageError {
    #[error("{folder}: {error}")]
    Folder { folder: String, error: io::Error },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("{0}")]
    Lacking(&'static str),
}

impl PackageError {
    pub fn folder(folder: &Path) -> impl Fn(io::Error) -> PackageError + Copy {
        move |error| PackageError::Folder { folder: folder.display().to_string(), error }
    }
}

/// Longest time for a question to apt.
const APT: Duration = Duration::from_secs(60);

/// The programs that this takes.
const TOOLS: [&str; 4] = ["apt-cache", "apt-get", "dpkg-deb", "tar"];

/// How apt is asked: about this host's packages, or with options that say about which ([`super::foreign`]).
#[derive(Debug, Clone, Default)]
pub(crate) struct Apt(pub(super) Vec<String>);

impl Apt {
    fn ask(&self, program: &str) -> Command {
        let mut command = plain(program);
        command.args(&self.0);
        command
    }
}

/// Whether this host has packages to take files from.
pub(crate) fn can_extract() -> Result<(), Unavailable> {
    TOOLS.iter().try_for_each(|tool| programs::find(tool).map(drop))
}

/// The folder in the cache that holds what of `package` matches `members` (`./boot/vmlinuz-*`), as tar
/// knows them; extracted when it is not there yet.
pub(crate) fn tree(package: &str, members: &[&str], host: &Host) -> Result<PathBuf, Unavailable> {
    tree_of(&Apt::default(), package, members, host)
}

/// The same of a package that `apt` knows.
pub(crate) fn tree_of(
    apt: &Apt,
    package: &str,
    members: &[&str],
    host: &Host,
) -> Result<PathBuf, Unavailable> {
    let folder = host.cache.join("packages");
    let tag = tag(members);
    if let Some(known) = cached(&folder, package, &tag) {
        return Ok(known);
    }
    can_extract()?;
    let made = keep_tree(&folder, &tag, |work| extract_only(apt, package, members, work));
    made.map_err(|why| {
        Unavailable::new(
            format!("the package {package} is not available: {why}"),
            "as root: apt-get update; tare only unpacks packages and installs none",
        )
    })
}

/// The package that `general` depends on and whose name begins with `prefix`: `linux-image-amd64` is no
/// kernel itself.
pub(crate) fn behind(general: &str, prefix: &str) -> Option<String> {
    behind_of(&Apt::default(), general, prefix)
}

/// The same among the packages that `apt` knows.
pub(crate) fn behind_of(apt: &Apt, general: &str, prefix: &str) -> Option<String> {
    let text = depends(apt, &[general.to_owned()]).ok()?;
    dependencies(&text).find(|package| package.starts_with(prefix)).map(str::to_owned)
}

/// The packages of libraries that `package` depends on, directly or through each other.
pub(crate) fn libraries(package: &str) -> Result<Vec<String>, Unavailable> {
    libraries_of(&Apt::default(), package)
}

/// The same among the packages that `apt` knows.
pub(crate) fn libraries_of(apt: &Apt, package: &str) -> Result<Vec<String>, Unavailable> {
    let mut known = BTreeSet::new();
    let mut asked = vec![package.to_owned()];
    while !asked.is_empty() {
        let text = depends(apt, &asked).map_err(|why| {
            let why = format!("apt does not know what {package} depends on: {why}");
            Unavailable::new(why, "as root: apt-get update")
        })?;
        let libraries = dependencies(&text).filter(|name| is_library(name)).map(str::to_owned);
        asked = libraries.filter(|name| known.insert(name.clone())).collect();
    }
    Ok(known.into_iter().collect())
}

/// Whether a package holds a library, by the distribution's rule for their names (and its one exception).
fn is_library(package: &str) -> bool {
    package.starts_with("lib") || package == "zlib1g"
}

/// What apt says that `packages` depend on. It is asked once: every boot wants to know, and its lists may be under way.
fn depends(apt: &Apt, packages: &[String]) -> Result<String, PackageError> {
    static SAID: Mutex<BTreeMap<Vec<String>, String>> = Mutex::new(BTreeMap::new());
    let mut said = SAID.lock().unwrap_or_else(|e| e.into_inner());
    let question = [&apt.0, packages].concat();
    if let Some(known) = said.get(&question) {
        return Ok(known.clone());
    }
    let mut ask = apt.ask("apt-cache");
    // A name may come from a campaign's record, and must not be an option.
    let text = output(ask.args(["depends", "--important", "--"]).args(packages), APT)?;
    said.insert(question, text.clone());
    Ok(text)
}

/// The dependencies in the output of `apt-cache depends`; of alternatives the last.
fn dependencies(depends: &str) -> impl Iterator<Item = &str> {
    depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "))
}

/// Downloads `package` into the empty folder `work` and extracts what matches `members` there.
pub(crate) fn extract(
    apt: &Apt,
    package: &str,
    members: &[&str],
    work: &Path,
) -> Result<PathBuf, PackageError> {
    let archive = download(apt, &[package.to_owned()], work)?.pop();
    let archive = archive.ok_or(PackageError::Lacking("apt-get download left no package"))?;
    untar(&archive, members, work).map_err(PackageError::folder(work))?;
    Ok(archive)
}

/// Downloads `packages` into the folder `work`; their files.
pub(crate) fn download(
    apt: &Apt,
    packages: &[String],
    work: &Path,
) -> Result<Vec<PathBuf>, PackageError> {
    let mut get = apt.ask("apt-get");
    output(get.args(["download", "--"]).args(packages).current_dir(work), DOWNLOAD)?;
    let files = fs::read_dir(work).map_err(PackageError::folder(work))?.flatten();
    let files = files.map(|entry| entry.path());
    Ok(files.filter(|path| path.extension().is_some_and(|end| end == "deb")).collect())
}

/// Takes what matches `members` out of a package's file. Fails, though it has the rest, when one matches nothing.
pub(crate) fn untar(archive: &Path, members: &[&str], into: &Path) -> io::Result<()> {
    let mut open = plain("dpkg-deb");
    open.arg("--fsys-tarfile").arg(archive).stdout(Stdio::piped()).process_group(0);
    let mut opened = open.spawn()?;
    let stream = opened.stdout.take().map_or(Stdio::null(), Stdio::from);
    let mut tar = plain("tar");
    tar.args(["-x", "--no-same-owner", "--wildcards"]).args(members).current_dir(into);
    let mut tar = tar.stdin(stream).stderr(Stdio::null()).process_group(0).spawn()?;
    let done = wait(&mut tar, DOWNLOAD) == Some(true);
    let whole = wait(&mut opened, Duration::from_secs(5)) == Some(true);
    if done && whole { Ok(()) } else { Err(io::Error::other("its package is damaged")) }
}

/// The same, without leaving the package's file there; what that is called, which says its version.
pub(super) fn extract_only(
    apt: &Apt,
    package: &str,
    members: &[&str],
    work: &Path,
) -> Result<String, PackageError> {
    let archive = extract(apt, package, members, work)?;
    fs::remove_file(&archive).map_err(PackageError::folder(work))?;
    Ok(archive.file_stem().unwrap_or_default().to_string_lossy().into_owned())
}

/// The tree that `make` makes in an empty folder, kept in `folder` under the name that it says, and `tag`. Runs of tare that do this
/// at once do not disturb each other: each works in a folder of its own and renames what it has whole.
pub(super) fn keep_tree(
    folder: &Path,
    tag: &str,
    make: impl FnOnce(&Path) -> Result<String, PackageError>,
) -> Result<PathBuf, PackageError> {
    let text = PackageError::folder(folder);
    cache::make(folder).map_err(text)?;
    let work = Work::new_in(folder).map_err(text)?;
    let name = make(work.path())?;
    let kept = folder.join(format!("{name}.{tag}"));
    work.move_to(&kept).map_err(text)?;
    Ok(kept)
}

/// Whether anything of `package` was extracted already.
pub(crate) fn is_cached(package: &str, host: &Host) -> bool {
    cached(&host.cache.join("packages"), package, "").is_some()
}

/// The newest extracted version of `package` with these members.
pub(super) fn cached(folder: &Path, package: &str, tag: &str) -> Option<PathBuf> {
    let names = fs::read_dir(folder).ok()?.flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let of_package = |name: &String| {
        name.strip_prefix(package).is_some_and(|rest| rest.starts_with('_') && rest.ends_with(tag))
    };
    names.filter(of_package).max_by(|a, b| by_version(a, b)).map(|name| folder.join(name))
}

/// Tells trees of different members of one package apart.
pub(super) fn tag(members: &[&str]) -> String {
    format!("{:.8x}", Sha256::digest(members.join("\n")))
}

/// Compares releases as people do: runs of digits as numbers.
pub(crate) fn by_version(a: &str, b: &str) -> Ordering {
    parts(a).cmp(&parts(b)).then_with(|| a.cmp(b))
}

fn parts(release: &str) -> Vec<u64> {
    let runs = release.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| !run.is_empty()).map(|run| run.parse().unwrap_or(u64::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_read_from_the_dependencies() {
        let of = |text| {
            let mut all = dependencies(text);
            all.find(|package| package.starts_with("linux-image-")).map(str::to_owned)
        };
        let text = "linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-56-cloud-amd64\n";
        assert_eq!(of(text).unwrap(), "linux-image-6.1.0-56-cloud-amd64");
        let text = "linux-image-virtual\n  Depends: linux-base\n |Depends: linux-image-x\n  Depends: linux-image-6.8.0-31-generic\n";
        assert_eq!(of(text).unwrap(), "linux-image-6.8.0-31-generic");
        assert_eq!(of(""), None);
    }

    #[test]
    fn libraries_are_told_by_their_names() {
        let text =
            "xl\n  Depends: libc6\n |Depends: <python3:any>\n  Depends: zlib1g\n  Depends: perl\n";
        let found: Vec<_> = dependencies(text).filter(|name| is_library(name)).collect();
        assert_eq!(found, ["libc6", "zlib1g"]);
    }

    #[test]
    fn the_newest_tree_of_these_members_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let tag = tag(&["./boot/*"]);
        let names = ["a_1.9_amd64", "a_1.10_amd64", "ab_2_amd64"];
        for name in names.map(|name| format!("{name}.{tag}")) {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::create_dir(folder.path().join("a_3_amd64.otherone")).unwrap();
        let found = cached(folder.path(), "a", &tag).unwrap();
        assert!(found.ends_with(format!("a_1.10_amd64.{tag}")), "{}", found.display());
    }
}
