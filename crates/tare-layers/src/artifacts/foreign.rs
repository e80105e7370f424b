//! Packages of another architecture. apt is asked with lists of tare's own, in the cache, so that this host's apt need not
//! know that architecture and learns nothing of it.

use super::package::{self, Apt, PackageError};
use crate::files::work::Work;
use crate::{Host, Unavailable};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tare_keeper::cache;
use tare_keeper::programs::{output, plain};

/// Longest time for fetching lists of some 10 MB.
const FETCHING: Duration = Duration::from_secs(180);

/// apt with the lists of `architecture`, fetched if they are not in the cache yet.
pub(crate) fn apt(architecture: &str, host: &Host) -> Result<Apt, Unavailable> {
    package::can_extract()?;
    let kept = host.cache.join(format!("apt-{architecture}"));
    if !kept.is_dir() {
        fetch(architecture, &host.cache, &kept).map_err(|why| {
            Unavailable::new(
                format!("apt's lists of {architecture} packages cannot be had: {why}"),
                "see that apt-get update works here, and that its sources have that architecture",
            )
        })?;
    }
    Ok(Apt(options(architecture, &kept)))
}

/// A package of these lists that cannot be had, with what remedies old lists: mirrors forget packages.
pub(crate) fn outdated(architecture: &str, host: &Host) -> impl Fn(Unavailable) -> Unavailable {
    let kept = host.cache.join(format!("apt-{architecture}"));
    let remedy = format!(
        "remove {}, so that newer lists are fetched; or give a kernel's file (kernel=)",
        kept.display()
    );
    move |lacking| Unavailable { remedy: remedy.clone(), ..lacking }
}

/// Everything that apt writes is below `folder`.
fn options(architecture: &str, folder: &Path) -> Vec<String> {
    let folder = folder.display();
    let settings = [
        format!("APT::Architecture={architecture}"),
        format!("APT::Architectures={architecture}"),
        format!("Dir::State={folder}"),
        format!("Dir::State::status={folder}/status"),
        format!("Dir::Cache={folder}"),
        "Dir::Cache::pkgcache=known".into(),
        "Dir::Cache::srcpkgcache=".into(),
        "Acquire::Languages=none".into(),
        "Acquire::GzipIndexes=false".into(),
        // As root, apt would fetch as a user who cannot write here.
        "APT::Sandbox::User=root".into(),
    ];
    // What desktops add to the lists.
    let unwanted = ["DEP-11", "DEP-11-icons", "DEP-11-icons-small", "DEP-11-icons-large", "CNF"];
    let off = |name| format!("Acquire::IndexTargets::deb::{name}::DefaultEnabled=false");
    let settings = settings.into_iter().chain(unwanted.map(off));
    settings.flat_map(|setting| ["-o".into(), setting]).collect()
}

/// Renamed when whole: another run of tare may do the same.
fn fetch(architecture: &str, cache: &Path, kept: &Path) -> Result<(), PackageError> {
    let text = PackageError::folder(cache);
    cache::make(cache).map_err(text)?;
    let work = Work::new_in(cache).map_err(text)?;
    for folder in ["lists/partial", "archives/partial"] {
        cache::make(&work.path().join(folder)).map_err(text)?;
    }
    fs::write(work.path().join("status"), "").map_err(text)?;
    let mut update = plain("apt-get");
    let said = output(update.args(options(architecture, work.path())).arg("update"), FETCHING);
    // A source without that architecture, or a hook of this host's, fails for itself; what counts is whether lists came.
    let lists = fs::read_dir(work.path().join("lists")).map_err(text)?.flatten();
    let is_list = |name: &str| name.contains("_Packages");
    if !lists.map(|entry| entry.file_name()).any(|name| is_list(&name.to_string_lossy())) {
        return Err(said
            .err()
            .map_or(PackageError::Lacking("its sources have none"), PackageError::from));
    }
    work.move_to(kept).map_err(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apt_writes_nowhere_else() {
        let all = options("i386", Path::new("/cache/apt-i386"));
        let value = |key: &str| all.iter().find_map(|word| word.strip_prefix(key)).unwrap();
        for key in ["Dir::State=", "Dir::Cache=", "Dir::State::status="] {
            assert!(value(key).starts_with("/cache/apt-i386"), "{key}");
        }
        assert_eq!(value("APT::Architectures="), "i386");
    }
}
