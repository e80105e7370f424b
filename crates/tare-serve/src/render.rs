//! Drawing reports: off the thread that answers, few at once, and again only when the campaign has changed.

use crate::found::Found;
use crate::{Served, pages};
use axum::body::Bytes;
use axum::response::Response;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::SystemTime;
use tare_board::{Extras, Options, scoreboard};
use tare_report::html;
use tare_store::{Campaign, FILE, StoreError, load};

/// Reports that are kept.
const KEPT: usize = 8;

/// When a campaign's files were last written, and how large they are.
pub(crate) type Stamp = [Option<(SystemTime, u64)>; 2];

/// Reports drawn before, the latest last.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Vec<(String, Stamp, Bytes)>>);

/// What tells whether a campaign has changed.
pub(crate) fn stamp(directory: &Path) -> Stamp {
    [FILE.to_owned(), format!("{FILE}-wal")].map(|name| {
        let meta = fs::metadata(directory.join(name)).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    })
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

/// The report of a campaign.
pub(crate) async fn report(served: &Served, found: Found) -> Response {
    let now = stamp(&found.path);
    if let Some(page) = served.drawn.get(&found.id, &now) {
        return pages::html(page);
    }
    let id = found.id.clone();
    let drawn = apart(served, move || {
        let campaign = load(&found.path)?;
        let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
        Ok(Bytes::from(html(&campaign, &board, &Extras::of(&campaign, &board))))
    });
    match drawn.await {
        Ok(page) => {
            served.drawn.put(&id, now, &page);
            pages::html(page)
        }
        Err(why) => pages::broken(&why),
    }
}

/// Reads campaigns.
pub(crate) async fn campaigns(
    served: &Served,
    found: Vec<Found>,
) -> Result<Vec<(Found, Campaign)>, String> {
    apart(served, move || {
        found.into_iter().map(|one| load(&one.path).map(|campaign| (one, campaign))).collect()
    })
    .await
}

/// Does work that takes a while on a thread of its own.
pub(crate) async fn apart<T: Send + 'static>(
    served: &Served,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, String> {
    let _one = served.drawings.acquire().await.map_err(|e| e.to_string())?;
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err("the report could not be drawn; tare's standard error says why".into()),
    }
}
