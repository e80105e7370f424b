//! The campaigns and merged results in the given folders, each with an identity that a request can name without naming a path.

use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tare_store::{FILE, MERGED};

/// Most entries of a folder that are looked at, and most campaigns: those that were written to last.
const ENTRIES: usize = 10_000;
const CAMPAIGNS: usize = 1_000;

/// The folders that were named on the command line.
pub(crate) struct Folders(Vec<PathBuf>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One host's campaign.
    Campaign,
    /// The merged result of many hosts.
    Merged,
}

/// A campaign, or a merged result, in one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CampaignEntry {
    /// Decides nothing but which of the scanned campaigns is meant.
    pub(crate) id: String,
    /// Its path as people know it: below the folder's name.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) holds: Holds,
}

impl Folders {
    pub(crate) fn new(folders: Vec<PathBuf>) -> Folders {
        Folders(folders.into_iter().map(|path| path.canonicalize().unwrap_or(path)).collect())
    }

    pub(crate) fn campaigns(&self) -> Vec<CampaignEntry> {
        let mut all = self.scan();
        all.retain(|one| one.holds == Holds::Campaign);
        all
    }

    /// Every campaign and merged result: a folder that is one, and those directly in it. Symbolic links are not followed, so that
    /// nothing outside is reached.
    pub(crate) fn scan(&self) -> Vec<CampaignEntry> {
        let mut found: Vec<(Option<SystemTime>, CampaignEntry)> = Vec::new();
        for folder in &self.0 {
            let mut below: Vec<PathBuf> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .take(ENTRIES)
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path())
                .collect();
            below.sort();
            for path in std::iter::once(folder.clone()).chain(below) {
                let Some((holds, file)) = held_in(&path) else { continue };
                if found.iter().all(|(_, known)| known.path != path) {
                    found.push((file.modified().ok(), CampaignEntry::new(folder, path, holds)));
                }
            }
        }
        found.sort_by_key(|(written, _)| Reverse(*written));
        found.into_iter().map(|(_, one)| one).take(CAMPAIGNS).collect()
    }
}

impl CampaignEntry {
    fn new(folder: &Path, path: PathBuf, holds: Holds) -> CampaignEntry {
        let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
        let id = format!("{digest:.16x}");
        let base = folder.parent().unwrap_or(folder);
        let name = path.strip_prefix(base).unwrap_or(&path).display().to_string();
        CampaignEntry { id, name, path, holds }
    }
}

/// Its name, as pages show it.
pub(crate) fn name(found: &CampaignEntry) -> String {
    tare_report::clean(&found.name).chars().take(120).collect()
}

/// What makes a folder a campaign or a merged result: a real file in it.
fn held_in(folder: &Path) -> Option<(Holds, Metadata)> {
    let file = |name: &str| fs::symlink_metadata(folder.join(name)).ok().filter(Metadata::is_file);
    let campaign = file(FILE).map(|file| (Holds::Campaign, file));
    campaign.or_else(|| Some((Holds::Merged, file(MERGED)?)))
}
