//! The campaign that is meant: the one that was named, or else the newest of this folder.

use crate::usage::wrong_usage;
use crate::{output, trust};
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A campaign that somebody is writing just now is waited for no longer than this.
const PATIENCE: Duration = Duration::from_secs(2);

/// The directory that was `named`, or else the newest campaign in this folder that is this user's, by what it says of itself.
///
/// # Errors
/// Wrong usage: none is named, and none is here.
pub fn campaign(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let here = Path::new(".");
    let folders = fs::read_dir(here).into_iter().flatten().flatten().map(|entry| entry.path());
    let all = [here.to_owned()].into_iter().chain(folders).filter_map(|dir| {
        let plain = dir.strip_prefix(here).ok().filter(|it| !it.as_os_str().is_empty());
        let dir = plain.map_or(dir.clone(), Path::to_owned);
        let is_own = dir.join(tare_store::FILE).is_file() && trust::own_campaign(&dir).is_ok();
        let plan = is_own.then(|| tare_store::load_plan_within(&dir, PATIENCE).ok())??;
        Some((plan.created.raw().to_owned(), dir))
    });
    match all.max() {
        Some((_, dir)) => {
            output::note(&format!("{}, the newest campaign of this folder:", dir.display()));
            Ok(dir)
        }
        None => wrong_usage!(
            "name a campaign's directory (DIR): this folder holds no campaign that is yours"
        ),
    }
}
