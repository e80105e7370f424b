//! Reports, rendered again only when their campaign has changed.

use crate::apart::apart;
use crate::found::{CampaignEntry, Holds};
use crate::{Served, answer, draw, merged};
use axum::body::Bytes;
use axum::response::Response;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::SystemTime;
use tare_store::{FILE, MERGED, is_held};

/// Reports that are kept.
const KEPT: usize = 8;

/// When a campaign's or merged result's files were last written, how large they are, and whether somebody runs it: a kill
/// writes nothing.
pub(crate) type Stamp = ([Option<(SystemTime, u64)>; 3], bool);

/// Reports drawn before, the latest last.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Vec<(String, Stamp, Bytes)>>);

pub(crate) fn stamp(directory: &Path) -> Stamp {
    let files = [FILE.to_owned(), format!("{FILE}-wal"), MERGED.to_owned()].map(|name| {
        let meta = fs::metadata(directory.join(name)).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    });
    (files, is_held(directory))
}

impl Cache {
    fn get(&self, id: &str, stamp: &Stamp) -> Option<Bytes> {
        let kept = self.0.lock().ok()?;
        kept.iter().find(|one| one.0 == id && one.1 == *stamp).map(|one| one.2.clone())
    }

    fn put(&self, id: &str, stamp: Stamp, page: &Bytes) {
        let Ok(mut kept) = self.0.lock() else { return };
        kept.retain(|one| one.0 != id);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((id.to_owned(), stamp, page.clone()));
    }
}

pub(crate) async fn report(served: &Served, found: CampaignEntry) -> Response {
    let now = stamp(&found.path);
    if let Some(page) = served.drawn.get(&found.id, &now) {
        return answer::html(page);
    }
    let id = found.id.clone();
    let drawn = apart(served, move || match found.holds {
        Holds::Campaign => draw::report(&found).map_err(|error| error.to_string()),
        Holds::Merged => merged::report(&found),
    });
    match drawn.await {
        Ok(page) => {
            served.drawn.put(&id, now, &page);
            answer::html(page)
        }
        Err(why) => answer::broken(&why),
    }
}
